"""Answers against the clock; run as a script inside the peers' venvs, where tersely is not.

    python answers.py opennmt TASK.json
    python answers.py t5 TASK.json

A task tells what is asked (asked.py), the beam, how many answers, and the model's size. Weights
are drawn at random: only time is measured. Nothing but the standard library is imported before
a peer is chosen, and nothing of tersely.
"""

import json
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

Answer = Callable[[dict[str, Any]], int]
"""Answers what is asked; returns the tokens of the best answer, without its end mark."""


def time_answers(task: dict[str, Any], answer: Answer) -> dict[str, Any]:
    """Answer everything once, after some warm-up."""
    asked = task["asked"]
    for one in asked[: task["warm_up"]]:
        answer(one)
    seconds, processor, lengths = [], [], []
    for one in asked:
        wall, own = time.perf_counter(), time.process_time()
        lengths.append(answer(one))
        processor.append(time.process_time() - own)
        seconds.append(time.perf_counter() - wall)
    return {"seconds": seconds, "processor_seconds": processor, "lengths": lengths}


def opennmt(task: dict[str, Any]) -> tuple[Answer, int]:
    """OpenNMT-py's LSTM with attention and copying, batch 1."""
    import torch
    from onmt.inputters.text_utils import _addcopykeys, numericalize, tensorify
    from onmt.model_builder import build_base_model
    from onmt.translate import GNMTGlobalScorer, Translator

    torch.set_num_threads(1)
    torch.manual_seed(1)
    options, vocabs = _opennmt_options(task)
    model = build_base_model(options, vocabs)
    for parameter in model.parameters():
        torch.nn.init.uniform_(parameter, -0.1, 0.1)
    model.eval()
    translator = Translator(
        model,
        vocabs,
        n_best=task["count"],
        beam_size=task["width"],
        max_length_ratio=0,
        copy_attn=True,
        global_scorer=GNMTGlobalScorer(0.0, 0.0, "none", "none"),
        report_score=False,
    )

    def answer(asked: dict[str, Any]) -> int:
        words = " ".join(f"w{number}" for number in asked["numbers"])
        example = {"src": {"src": words}, "tgt": None, "cid": "", "cid_line_number": 0}
        example = _addcopykeys(vocabs, numericalize(vocabs, example))
        batch = tensorify(vocabs, [(example, 0)], torch.device("cpu"))
        translator.min_length, translator.max_length = asked["length"], asked["length"] + 1
        found = translator.translate_batch(batch, False)
        return len(found["predictions"][0][0]) - 1  # the end mark, or what stands in its place

    return answer, sum(parameter.numel() for parameter in model.parameters())


def _opennmt_options(task: dict[str, Any]) -> tuple[Any, Any]:
    from onmt import opts
    from onmt.inputters.inputter import build_vocab
    from onmt.utils.parse import ArgumentParser

    vocabulary = Path(task["folder"]) / "vocabulary"
    # Its own special tokens, and padding to a multiple of 8, make it as large as ours.
    words = "".join(f"w{number}\t1\n" for number in range(task["vocabulary"] - 5))
    vocabulary.write_text(words, encoding="utf-8")
    settings = {
        "src_vocab": vocabulary,
        "tgt_vocab": vocabulary,
        "vocab_size_multiple": 8,
        "encoder_type": "brnn",
        "decoder_type": "rnn",
        "rnn_type": "LSTM",
        "word_vec_size": task["units"],
        "hidden_size": task["units"],
        "enc_layers": 1,
        "dec_layers": 1,
        "global_attention": "general",
        "input_feed": 1,
        "dropout": 0.0,
        "data": "{}",
        "save_model": vocabulary.with_name("model"),
    }
    given = [word for name, value in settings.items() for word in (f"-{name}", str(value))]
    flags = ["-share_vocab", "-share_embeddings", "-copy_attn", "-reuse_copy_attn"]
    parser = ArgumentParser()
    opts.train_opts(parser)
    options, _ = parser.parse_known_args([*given, *flags])
    options.data_task = options.model_task
    ArgumentParser.update_model_opts(options)
    ArgumentParser.validate_model_opts(options)
    return options, build_vocab(options, {"src": [], "tgt": []})


def t5(task: dict[str, Any]) -> tuple[Answer, int]:
    """A T5 of the size the task tells; T5-small's by default, some 60 million parameters."""
    import torch
    from transformers import T5Config, T5ForConditionalGeneration

    torch.set_num_threads(1)
    torch.manual_seed(1)
    config = T5Config(**{"decoder_start_token_id": 0, **task["t5"]})
    model = T5ForConditionalGeneration(config).eval()

    def answer(asked: dict[str, Any]) -> int:
        source = torch.tensor([[100 + number for number in asked["numbers"]] + [1]])
        with torch.no_grad():
            found = model.generate(
                input_ids=source % config.vocab_size,
                attention_mask=torch.ones_like(source),
                num_beams=task["width"],
                num_return_sequences=task["count"],
                min_new_tokens=asked["length"] + 1,
                max_new_tokens=asked["length"] + 1,
                do_sample=False,
            )
        return int(found.shape[1]) - 2  # the start mark, and what stands for the end mark

    return answer, sum(parameter.numel() for parameter in model.parameters())


PEERS = {"opennmt": opennmt, "t5": t5}


def main(arguments: list[str]) -> int:
    """Answer a task; the last line printed is the outcome as JSON."""
    warnings.filterwarnings("ignore")
    kind, path = arguments
    task = json.loads(Path(path).read_text(encoding="utf-8"))
    answer, parameters = PEERS[kind](task)
    print(json.dumps({**time_answers(task, answer), "parameters": parameters}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
