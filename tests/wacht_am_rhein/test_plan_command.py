"""The fire plan from the command line."""

from fireplan_wacht_am_rhein.__main__ import main


def test_12_1_6_the_plan_of_the_small_scenario_is_printed(capsys):
    assert main(["wacht_am_rhein/crossroads", "I-110", "3030"]) == 0
    out = capsys.readouterr().out
    assert "limit by 12.1.6a" in out
    # Two battalions of four factors are one volley of eight: a mean of 1 hit and 40 % shift in the reconstructed table.
    assert "1.00    40%" in out


def test_wrong_arguments_are_answered_with_status_2(capsys):
    for arguments, expected in (
        ([], "SCENARIO OBSERVER TARGET"),
        (["wacht_am_rhein/crossrods", "I-110", "3030"], "crossroads"),
        (["wacht_am_rhein/crossroads", "nobody", "3030"], "I-110"),
        (["wacht_am_rhein/crossroads", "I-110", "30"], "'30'"),
    ):
        assert main(arguments) == 2
        assert expected in capsys.readouterr().err
