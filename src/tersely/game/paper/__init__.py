"""The paper's game: an encoder trained by REINFORCE against a decoder that copies or generates."""
