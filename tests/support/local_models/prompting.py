"""What is put around the model so that it can be used: calls in the form it writes them, and a prompt for decisions."""

from __future__ import annotations

from collections.abc import Mapping

CHAT_TEMPLATE = "tokenizer.chat_template"
ARCHITECTURE = "qwen2"

# Qwen2.5-Coder was told to put calls between <tool_call> tags and writes them as a fenced block of JSON all the same.
# With the same block in its instructions, the server knows where to look and reads them as calls.
_FENCED = (
    ("within <tool_call></tool_call> XML tags:", "in a json code block:"),
    ("<tool_call>\\n", "```json\\n"),
    ("\\n</tool_call>", "\\n```"),
)


def with_fenced_calls(template: str) -> str:
    """The model's own chat template, asking for calls the way the model writes them. Raises `ValueError`."""
    for old, new in _FENCED:
        if old not in template:
            raise ValueError(f"the chat template is not the expected one: {old!r} does not occur in it")
        template = template.replace(old, new)
    return template


def decision_texts() -> dict[str, str]:
    """Metadata under which llama.cpp answers `/v1/systemone`: it reads the logits of the options' letters."""
    return {f"{ARCHITECTURE}.decision.type": "nimble", "tokenizer.chat_template.systemone": _PROMPT}


def decision_numbers() -> Mapping[str, float]:
    """Temperatures of the readout: none is fitted."""
    return {f"{ARCHITECTURE}.decision.temperature.{kind}": 1.0 for kind in ("choice", "score", "noul")}


def _as_text(name: str) -> str:
    return f"{{% if {name} is string %}}{{{{ {name} }}}}{{% else %}}{{{{ {name} | tojson }}}}{{% endif %}}"


_PROMPT = (
    "<|im_start|>system\nYou decide between options. Read the state and the question and answer with the code of one "
    "option.<|im_end|>\n<|im_start|>user\nState:\n"
    + _as_text("state")
    + "\n\nQuestion: "
    + _as_text("instructions")
    + "{% if type == 'score' %} The options are levels, the lowest first.{% endif %}{{ '\\nOptions:\\n' }}"
    "{% for option in options %}{{ option.label }}. "
    "{% if type == 'noul' %}{% if option.key == 'true' %}yes{% else %}no{% endif %}{% elif type == 'choice' %}"
    "{{ option.key }}{% endif %}{% if option.description %}{% if type != 'score' %}: {% endif %}"
    + _as_text("option.description")
    + "{% endif %}{{ '\\n' }}{% endfor %}"
    "{{ '\\nThe code of the best option, nothing else.<|im_end|>\\n<|im_start|>assistant\\n' }}"
)
