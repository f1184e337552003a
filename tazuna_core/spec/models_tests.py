"""The tests of tazuna.yaml: what must hold in the cluster after an apply."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from tazuna_core.spec.models_base import Choice, Count, FileModel, Flag, Needed, Text


class TestType(StrEnum):
    """The kinds of tests."""

    __test__ = False

    WAIT_UNTIL = "WaitUntil"
    EXIST_NON_EXIST = "ExistNonExist"


class ResourceKind(FileModel):
    """The kind of the object that a test looks at."""

    api_version: Needed
    kind: Needed


class WaitUntil(FileModel):
    """Waits until a CEL expression over the object is true."""

    resource: ResourceKind
    namespace: Text = Field("", description="Empty for a cluster-scoped object.")
    name: Needed
    condition: Needed = Field(description="A CEL expression over `object` that gives true or false.")


class ExistNonExist(FileModel):
    """Asks whether an object exists."""

    resource: ResourceKind
    namespace: Text = Field("", description="Empty for a cluster-scoped object.")
    name: Needed
    should_exist: Flag


class ClusterTest(FileModel):
    """One test: what it asks, and how often and how long."""

    type: Choice[TestType]
    wait_until: WaitUntil | None = None
    exist_non_exist: ExistNonExist | None = None
    min_consecutive_success_count: Count = Field(1, description="Passes after so many successes in a row; 0 means 1.")
    min_consecutive_failure_count: Count = Field(0, description="Fails after so many failures in a row; 0: never.")
    timeout_seconds: Count = Field(0, description="Fails after so many seconds; 0: never.")
    interval_seconds: Count = Field(0, description="Seconds between two tries.")
