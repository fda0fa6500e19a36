"""The text and the keywords that the model that ships is trained on."""
