"""A peer that completes queries; a script that runs in the peer's venv, without tersely.

    python peer.py opennmt TASK.json
    python peer.py t5 TASK.json

A task holds the queries (queries.py), the beam width, the number of suggestions and the model's
size. Weights are random: only time is measured. The top of this module imports the standard
library alone.
"""

import json
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

Complete = Callable[[dict[str, Any]], int]
"""Completes a query; returns the tokens of the best suggestion, without its end mark."""


def time_queries(task: dict[str, Any], complete: Complete) -> dict[str, Any]:
    """Complete each query once, after a warm-up."""
    queries = task["queries"]
    for query in queries[: task["warm_up"]]:
        complete(query)
    seconds, processor_seconds, lengths = [], [], []
    for query in queries:
        wall, processor = time.perf_counter(), time.process_time()
        lengths.append(complete(query))
        processor_seconds.append(time.process_time() - processor)
        seconds.append(time.perf_counter() - wall)
    return {"seconds": seconds, "processor_seconds": processor_seconds, "lengths": lengths}


def opennmt(task: dict[str, Any]) -> tuple[Complete, int]:
    """Return OpenNMT-py's LSTM with attention and copying at batch size 1, and its parameters."""
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

    def complete(query: dict[str, Any]) -> int:
        words = " ".join(f"w{number}" for number in query["numbers"])
        example = {"src": {"src": words}, "tgt": None, "cid": "", "cid_line_number": 0}
        example = _addcopykeys(vocabs, numericalize(vocabs, example))
        batch = tensorify(vocabs, [(example, 0)], torch.device("cpu"))
        translator.min_length, translator.max_length = query["length"], query["length"] + 1
        output = translator.translate_batch(batch, False)
        return len(output["predictions"][0][0]) - 1  # the end mark, or the token in its place

    return complete, sum(parameter.numel() for parameter in model.parameters())


def _opennmt_options(task: dict[str, Any]) -> tuple[Any, Any]:
    from onmt import opts
    from onmt.inputters.inputter import build_vocab
    from onmt.utils.parse import ArgumentParser

    vocabulary = Path(task["folder"]) / "vocabulary"
    # With its own special tokens and padding to a multiple of 8 it has as many words as ours.
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
    arguments = [word for name, value in settings.items() for word in (f"-{name}", str(value))]
    flags = ["-share_vocab", "-share_embeddings", "-copy_attn", "-reuse_copy_attn"]
    parser = ArgumentParser()
    opts.train_opts(parser)
    options, _ = parser.parse_known_args([*arguments, *flags])
    options.data_task = options.model_task
    ArgumentParser.update_model_opts(options)
    ArgumentParser.validate_model_opts(options)
    return options, build_vocab(options, {"src": [], "tgt": []})


def t5(task: dict[str, Any]) -> tuple[Complete, int]:
    """Return a T5 of the task's size, and its parameters."""
    import torch
    from transformers import T5Config, T5ForConditionalGeneration

    torch.set_num_threads(1)
    torch.manual_seed(1)
    config = T5Config(**{"decoder_start_token_id": 0, **task["t5"]})
    model = T5ForConditionalGeneration(config).eval()

    def complete(query: dict[str, Any]) -> int:
        source = torch.tensor([[100 + number for number in query["numbers"]] + [1]])
        with torch.no_grad():
            output = model.generate(
                input_ids=source % config.vocab_size,
                attention_mask=torch.ones_like(source),
                num_beams=task["width"],
                num_return_sequences=task["count"],
                min_new_tokens=query["length"] + 1,
                max_new_tokens=query["length"] + 1,
                do_sample=False,
            )
        return int(output.shape[1]) - 2  # the start mark, and the token in place of the end mark

    return complete, sum(parameter.numel() for parameter in model.parameters())


PEERS = {"opennmt": opennmt, "t5": t5}


def main(arguments: list[str]) -> int:
    """Complete the queries of a task; the last line printed is the outcome as JSON."""
    warnings.filterwarnings("ignore")
    name, path = arguments
    task = json.loads(Path(path).read_text(encoding="utf-8"))
    complete, parameters = PEERS[name](task)
    print(json.dumps({**time_queries(task, complete), "parameters": parameters}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
