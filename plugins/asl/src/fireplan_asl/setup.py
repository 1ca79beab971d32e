"""One way to the table: an engagement becomes the scenario file that it amounts to, and the parts stage that.

Each part is ``Staged``: it makes its own slot and facts of every battery in ``set_up_battery``. At the table of
another game a part stages its word alone, from the same form.
"""

from typing import Literal

from fireplan_asl._nations import Nation, UnknownNationError, nation_for
from fireplan_asl._places import HEX_M
from fireplan_asl._scenario import AslScenario
from fireplan_asl._scenario_battery import Battery
from fireplan_core import Part, Parts, Staging
from fireplan_core.space import HexFrame


class Staged(Part):
    """A part that stages its word of a scenario form."""

    def stage(self, staging: Staging) -> None:
        """Stage an engagement as the scenario file that it amounts to."""
        self.set_up(engagement_form(staging), staging)

    def set_up(self, form: AslScenario, staging: Staging) -> None:
        """Stage this part's word of every battery; a nation without figures cannot be staged."""
        for battery in form.battery:
            try:
                self.set_up_battery(form, battery, staging)
            except UnknownNationError as error:
                reason = f"C1.211: {error}"
                if reason not in staging.reasons:
                    staging.cannot(reason)

    def set_up_battery(self, form: AslScenario, battery: Battery, staging: Staging) -> None:
        """Stage this part's slot and facts of a battery."""
        raise NotImplementedError

    def nation(self, form: AslScenario, battery: Battery) -> Nation:
        """Return the figures of a battery's nation on the day.

        Raises ``UnknownNationError`` where there are none.
        """
        return nation_for(battery.nationality, form.date, self.charts, self.options["chinese_squads"])


def engagement_form(staging: Staging) -> AslScenario:
    """Return an engagement as a scenario form: one battery an asset, and no units yet."""
    engagement, asset, observer = staging.engagement, staging.engagement.asset, staging.engagement.observer
    rocket: Literal["rocket", "concentration"] = "rocket" if asset.weapon == "rocket" else "concentration"
    phone: Literal["field_phone", "radio"] = "field_phone" if observer.link == "telephone" else "radio"
    batteries = (
        Battery(
            id=mission,
            side=staging.firer,
            nationality=engagement.firer.nationality,
            calibre=asset.calibre_mm,
            weapon="howitzer" if asset.weapon == "gun" else asset.weapon,
            link="offboard" if observer.kind == "offboard" else phone,
            ammunition=asset.ammunition,
            target=staging.centre,
            observer=None,
            missions=(rocket,),
            preregistered=(staging.centre,) if asset.preregistered else (),
        )
        for mission in staging.assets
    )
    return AslScenario(
        game="asl", title=engagement.title, moments=1, date=engagement.date, battery=tuple(batteries), unit=()
    )


def build(form: AslScenario, staging: Staging, parts: Parts) -> None:
    """Set a table up from a scenario file."""
    staging.frame = HexFrame(HEX_M, form.layout)
    staging.firer = form.battery[0].side
    staging.place = form.battery[0].target
    staging.mobile = any(unit.move for unit in form.unit)
    staging.assets = tuple(battery.id for battery in form.battery)
    for battery in form.battery:
        staging.mission(battery.id, "areas", side=battery.side, target=battery.target)
    for part in (parts.areas, parts.delays, parts.observers, parts.resolution, parts.requests):
        if isinstance(part, Staged):
            part.set_up(form, staging)
    if len({battery.side for battery in form.battery}) > 1:
        staging.note(f"fire phases are named for {staging.firer}; in its PFPh others have their DFPh, after it")
