"""A scenario file as a module of tests: a function for each scenario, a parameter for each trial."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, cast

import pytest

from company_lab.pytest_plugin import AGENT, MARKER
from company_lab.pytest_plugin.settings import look_in_root, trials_of, value_of

if TYPE_CHECKING:
    from company_lab.scenarios.model import Scenario

SCENARIO: pytest.StashKey[Scenario] = pytest.StashKey()
"""The scenario a test is a trial of."""
TRIAL: pytest.StashKey[int] = pytest.StashKey()
PASSED_OVER: pytest.StashKey[int] = pytest.StashKey()
"""How many scenario files were not collected, as no agent is named for them."""


class ScenarioFile(pytest.Module):
    """Fixtures, markers, scopes and selection work as in any module, since pytest makes the tests of it."""

    def _getobj(self) -> ModuleType:
        from company_lab.formats.errors import CompanyLabError
        from company_lab.runs.casting import HELD_OUT
        from company_lab.scenarios.suite import load_suite
        from company_lab.worlds.registry import resolve_world

        look_in_root(self.config)
        try:
            suite = load_suite(self.path, worlds=lambda name: resolve_world(name).spec)
        except CompanyLabError as error:
            raise self.CollectError(str(error)) from None
        module = ModuleType(self.path.stem)
        trials = trials_of(self.config)
        held_out = self.config.getoption("--company-lab-held-out")
        for scenario in suite.scenarios:
            if scenario.split != HELD_OUT or held_out:
                setattr(module, scenario.id, _test_of(scenario, trials, str(self.path)))
        return module

    def _agent_named(self) -> bool:
        if value_of(self.config, "agent") is not None:
            return True
        # Fixtures of a folder are known only now, when what lies in it is collected.
        known = self.session._fixturemanager.getfixturedefs(AGENT, self)
        return known is not None and len(known) > 1  # one is the plugin's own

    def funcnamefilter(self, name: str) -> bool:
        """Every function is a test, whatever it is called."""
        return True

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        """The tests, each of which can be chosen by what its scenario is about; none where no agent is named."""
        if not self._agent_named():
            self.config.stash[PASSED_OVER] = self.config.stash.get(PASSED_OVER, 0) + 1
            return
        for item in super().collect():
            if isinstance(item, pytest.Function):
                scenario: Scenario = item.function.scenario
                item.stash[SCENARIO] = scenario
                item.stash[TRIAL] = cast("int", item.callspec.params["company_lab_trial"])
                words = {scenario.failure_class, scenario.family, scenario.split, *scenario.tags}
                item.extra_keyword_matches.update(word for word in words if word)
                yield item


def _test_of(scenario: Scenario, trials: int, file: str) -> Callable[..., None]:
    def play(request: pytest.FixtureRequest, company_lab_agent: object, company_lab_trial: int) -> None:
        from company_lab.pytest_plugin.playing import play_trial

        play_trial(request, scenario, company_lab_agent, company_lab_trial)

    # The place of a test is its scenario: what pytest prints and editors open.
    code = play.__code__.replace(co_filename=file, co_firstlineno=scenario.source.line or 1)
    test = FunctionType(code, play.__globals__, scenario.id, None, play.__closure__)
    test.__doc__ = scenario.title
    vars(test)["scenario"] = scenario
    numbers = [pytest.param(trial, id=f"trial{trial}") for trial in range(1, trials + 1)]
    marked = pytest.mark.parametrize("company_lab_trial", numbers)(test)
    return cast("Callable[..., None]", getattr(pytest.mark, MARKER)(marked))
