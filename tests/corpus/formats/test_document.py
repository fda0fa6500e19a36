import dataclasses

import pytest

from tersely.corpus.formats.document import Document


def test_a_document_cannot_be_changed():
    document = Document("Hello.", "a.txt, line 1")
    with pytest.raises(dataclasses.FrozenInstanceError):
        document.text = "Bye."
