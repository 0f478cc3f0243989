"""`trajan-ai study`: play the games of a plan and report what wins."""

import argparse
from pathlib import Path

from trajan_ai.cli.common import RESULTS_FOLDER, StatusLine, jobs_of, resumable
from trajan_ai.core.errors import TrajanError
from trajan_ai.lab.dataset import dataset_files
from trajan_ai.lab.study import claim_check, study_report, study_run
from trajan_ai.lab.study.study_plan import read_study


def run(arguments: argparse.Namespace) -> int:
    """Play and report a study; the status is 0."""
    dataset_files.arrow()
    if not 0 < arguments.share <= 1:
        raise TrajanError(f"--share must be above 0 and at most 1, got {arguments.share}")
    study = read_study(arguments.file, arguments.share)
    claim_check.check_figures(study)
    folder = Path(arguments.out or RESULTS_FOLDER / Path(arguments.file).stem)
    status = StatusLine()
    if not arguments.report:
        with resumable():
            study_run.play(
                study,
                folder,
                jobs_of(arguments),
                lambda done, of: status.show(f"{done} of {of} chunks"),
            )
        status.show("")
    print(study_report.write(study, folder))
    return 0
