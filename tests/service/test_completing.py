import pytest
from starlette.testclient import TestClient

from tersely.completion.completer import Completer
from tests.web.asking import problem


def complete(service: TestClient, **body: object) -> dict:
    answer = service.post("/v1/complete", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_keywords_become_the_sentences_the_library_finds(service: TestClient, trained) -> None:
    answer = complete(service, keywords="soup cold", n=2)
    found = Completer.load(trained).complete("soup cold", 2)
    assert [one["text"] for one in answer["suggestions"]] == [one.text for one in found]
    assert [one["score"] for one in answer["suggestions"]] == [one.score for one in found]
    assert answer["model"] == "run"
    assert answer["milliseconds"] > 0
    for one in answer["suggestions"]:
        assert set(one) == {"text", "score", "source", "corrected", "spans"}
        marked = [one["text"][start:end].lower() for start, end in one["spans"]]
        assert marked == ["soup", "cold"]


def test_three_are_suggested_unless_asked_otherwise(service: TestClient) -> None:
    assert len(complete(service, keywords="soup")["suggestions"]) == 3
    assert len(complete(service, keywords="soup", n=1)["suggestions"]) == 1


def test_of_an_unfinished_word_what_was_typed_is_marked(service: TestClient) -> None:
    for one in complete(service, keywords="the so", prefix=True)["suggestions"]:
        marked = [one["text"][start:end].lower() for start, end in one["spans"]]
        assert marked == ["the", "so"]


def test_what_is_asked_for_reaches_the_library(service: TestClient, trained) -> None:
    asked = {"prefix": True, "without": ["the", "."]}
    found = Completer.load(trained).complete("so", 4, **asked)
    answer = complete(service, keywords="so", n=4, **asked)
    assert [one["text"] for one in answer["suggestions"]] == [one.text for one in found]


def test_a_batch_is_answered_in_order(service: TestClient) -> None:
    words = ["soup", "waiter", "table", "soup"]
    answers = complete(service, batch=[{"keywords": word} for word in words])["answers"]
    alone = [complete(service, keywords=word)["suggestions"] for word in words]
    assert [answer["suggestions"] for answer in answers] == alone


def test_the_second_answer_comes_from_the_cache(service: TestClient) -> None:
    def lookups() -> float:
        lines = service.get("/metrics").text.splitlines()
        found = [line for line in lines if line.startswith('tersely_cache_lookups_total{found="y')]
        return float(found[0].split()[-1]) if found else 0.0

    first = complete(service, keywords="friendly waiter")
    before = lookups()
    assert complete(service, keywords="friendly waiter")["suggestions"] == first["suggestions"]
    assert lookups() == before + 1
    complete(service, keywords="friendly waiter", n=4)
    assert lookups() == before + 1


@pytest.mark.promise(11)
@pytest.mark.parametrize(
    "body",
    [
        {"keywords": " ".join(["a"] * 33)},
        {"keywords": "x" * 201},
        {"keywords": "a", "n": 11},
        {"keywords": "a", "n": 0},
        {"keywords": "a", "context": "x" * 201},
        {"keywords": "a", "without": ["x" * 51]},
        {"keywords": "a", "without": ["x"] * 17},
        {"keywords": "a", "model": "x" * 65},
        {"batch": [{"keywords": "a"}] * 33},
        {"batch": [{"keywords": "a"}, {"keywords": "a", "n": 11}]},
        {"batch": []},
        {"keywords": "a", "batch": []},
        {"keywords": "a", "unknown": 1},
        {"keywords": 3},
        {"keywords": "a", "n": "3"},
        {"keywords": "a", "prefix": "yes"},
        {"keywords": "a", "order": "sorted"},
        {},
        [],
        "soup",
    ],
)
def test_what_is_too_much_or_makes_no_sense_is_refused(service: TestClient, body: object) -> None:
    answer = service.post("/v1/complete", json=body)
    assert (answer.status_code, problem(answer)) == (422, "invalid")


@pytest.mark.promise(11)
@pytest.mark.parametrize(
    "body",
    [
        {"keywords": " ".join(["a"] * 32)},
        {"keywords": " " + "\n".join(["a"] * 32) + " "},
        {"keywords": "x" * 200},
        {"keywords": "a", "n": 10},
        {"keywords": ""},
    ],
)
def test_what_is_just_not_too_much_is_answered(service: TestClient, body: dict) -> None:
    assert service.post("/v1/complete", json=body).status_code == 200


@pytest.mark.parametrize("content", [b'{"keywords": "\\ud800"}', b'{"keywords": "\xff"}', b"\x00"])
def test_text_that_is_none_is_refused(service: TestClient, content: bytes) -> None:
    answer = service.post(
        "/v1/complete", content=content, headers={"Content-Type": "application/json"}
    )
    assert answer.status_code in (400, 422)
    assert problem(answer) in ("invalid", "bad_request")


def test_a_word_that_is_typed_and_forbidden_is_a_contradiction(service: TestClient) -> None:
    answer = service.post("/v1/complete", json={"keywords": "soup", "without": ["soup"]})
    assert (answer.status_code, problem(answer)) == (409, "contradiction")


@pytest.mark.parametrize("name", ["nowhere", "../run", "/etc/passwd", "", "\x00"])
def test_a_model_that_is_not_there_is_said_to_be_unknown(service: TestClient, name: str) -> None:
    for path, body in [("complete", {"keywords": "soup"}), ("keywords", {"sentence": "soup"})]:
        answer = service.post(f"/v1/{path}", json={**body, "model": name})
        assert (answer.status_code, problem(answer)) == (404, "unknown_model")


def test_keywords_are_those_of_the_library(service: TestClient, trained) -> None:
    sentence = "The waiter was friendly,  but the Soup was cold."
    answer = service.post("/v1/keywords", json={"sentence": sentence}).json()
    chosen = Completer.load(trained).keywords(sentence)
    assert answer["keywords"] == chosen.keywords
    assert [one["typed"] for one in answer["tokens"]] == chosen.keep
    assert [one["keep"] for one in answer["tokens"]] == chosen.probabilities
    assert answer["sentence_characters"] == len(sentence)
    words = [word for word in chosen.keywords if word != "<shift>"]
    assert answer["typed_characters"] == len(" ".join(words))
    for one in answer["tokens"]:
        cut = sentence[one["start"] : one["end"]]
        assert cut.lower() == ("" if one["token"] == "<shift>" else one["token"].lower())


def test_at_a_budget_of_nothing_nothing_is_typed(service: TestClient) -> None:
    body = {"sentence": "The soup was cold.", "budget": 0}
    answer = service.post("/v1/keywords", json=body).json()
    assert answer["keywords"] == []
    assert answer["typed_characters"] == 0
    assert not any(one["typed"] for one in answer["tokens"])
    body["budget"] = 1
    assert len(service.post("/v1/keywords", json=body).json()["keywords"]) > 3


def test_an_empty_sentence_needs_no_keywords(service: TestClient) -> None:
    answer = service.post("/v1/keywords", json={"sentence": ""}).json()
    assert answer == {
        "keywords": [],
        "tokens": [],
        "typed_characters": 0,
        "sentence_characters": 0,
    }


@pytest.mark.promise(11)
@pytest.mark.parametrize("wrong", [{"budget": 1.1}, {"budget": -0.1}, {"sentence": "x" * 201}])
def test_a_budget_is_a_share_and_a_sentence_is_bounded(service: TestClient, wrong: dict) -> None:
    answer = service.post("/v1/keywords", json={"sentence": "The soup was cold.", **wrong})
    assert answer.status_code == 422


def test_models_are_listed(service: TestClient) -> None:
    (model,) = service.get("/v1/models").json()["models"]
    assert (model["name"], model["architecture"], model["default"]) == ("run", "paper", True)
    assert model["vocabulary"] == 200


def test_the_api_tells_of_itself_with_examples(service: TestClient) -> None:
    schema = service.get("/openapi.json").json()
    assert {"/v1/complete", "/v1/keywords", "/v1/models", "/healthz"} <= set(schema["paths"])
    assert schema["components"]["schemas"]["CompleteOne"]["examples"]
    assert schema["components"]["schemas"]["KeywordsBody"]["examples"]
