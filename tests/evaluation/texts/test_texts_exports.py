from __future__ import annotations

import pytest

from company_lab.evaluation import texts


def test_every_public_name_is_there() -> None:
    assert set(texts.__all__) <= set(dir(texts))
    for name in texts.__all__:
        assert getattr(texts, name) is not None


def test_another_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        getattr(texts, "no_such_name")  # noqa: B009 - the name is wrong on purpose
