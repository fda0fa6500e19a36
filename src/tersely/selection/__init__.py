"""Selection: which words of a sentence a writer should type."""
