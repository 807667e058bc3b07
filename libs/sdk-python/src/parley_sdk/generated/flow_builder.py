"""Made from apps/flow-builder/openapi.json by `npm run docs`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

from .._methods import Methods, Pages
from .._options import CallOptions, Operation
from .._stream import EventStream


class FlowBuilder(Methods):
    def execute_turn(
        self,
        flow_id: str,
        *,
        body: Mapping[str, Any] | None = None,
        version: int | None = None,
        trace: bool | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Advance a flow by one turn."""
        operation = Operation("POST", "/v1/flows/{flow_id}/execute")
        return self._call(operation, {"flow_id": flow_id, "version": version, "trace": trace}, body, options)

    def create_flow(
        self,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Create a flow at version 1."""
        operation = Operation("POST", "/v1/flows", creates=True)
        return self._call(operation, {}, body, options)

    def list_flows(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        q: str | None = None,
        published: bool | None = None,
        archived: bool | None = None,
        state: bool | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages:
        """List flows, newest first; `state` adds what is published and the problems."""
        operation = Operation("GET", "/v1/flows", pages="items")
        return self._list(operation, {"limit": limit, "cursor": cursor, "q": q, "published": published, "archived": archived, "state": state}, options)

    def import_flow(
        self,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Convert a flow of another product, with a report for each node."""
        operation = Operation("POST", "/v1/flows/import")
        return self._call(operation, {}, body, options)

    def get_flow(
        self,
        flow_id: str,
        *,
        version: Any | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Get the latest version of a flow, or another one."""
        operation = Operation("GET", "/v1/flows/{flow_id}")
        return self._call(operation, {"flow_id": flow_id, "version": version}, None, options)

    def update_flow(
        self,
        flow_id: str,
        *,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Append an immutable version."""
        operation = Operation("PATCH", "/v1/flows/{flow_id}")
        return self._call(operation, {"flow_id": flow_id}, body, options)

    def archive_flow(
        self,
        flow_id: str,
        *,
        restore: bool | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Archive a flow, or restore it."""
        operation = Operation("DELETE", "/v1/flows/{flow_id}")
        return self._call(operation, {"flow_id": flow_id, "restore": restore}, None, options)

    def validate_flow(
        self,
        flow_id: str,
        *,
        body: Mapping[str, Any] | None = None,
        version: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Validate a definition, or the stored flow."""
        operation = Operation("POST", "/v1/flows/{flow_id}/validate")
        return self._call(operation, {"flow_id": flow_id, "version": version}, body, options)

    def list_versions(
        self,
        flow_id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages:
        """List the versions of a flow, newest first."""
        operation = Operation("GET", "/v1/flows/{flow_id}/versions", pages="items")
        return self._list(operation, {"flow_id": flow_id, "limit": limit, "cursor": cursor}, options)

    def publish_flow(
        self,
        flow_id: str,
        *,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Publish a version, or roll back to an earlier one."""
        operation = Operation("POST", "/v1/flows/{flow_id}/publish")
        return self._call(operation, {"flow_id": flow_id}, body, options)

    def unpublish_flow(
        self,
        flow_id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Clear the publish pointer."""
        operation = Operation("DELETE", "/v1/flows/{flow_id}/publish")
        return self._call(operation, {"flow_id": flow_id}, None, options)

    def duplicate_flow(
        self,
        flow_id: str,
        *,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Copy a version into a new flow at version 1, unpublished."""
        operation = Operation("POST", "/v1/flows/{flow_id}/duplicate", creates=True)
        return self._call(operation, {"flow_id": flow_id}, body, options)

    def list_publications(
        self,
        flow_id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages:
        """List publications of a flow, newest first."""
        operation = Operation("GET", "/v1/flows/{flow_id}/publications", pages="items")
        return self._list(operation, {"flow_id": flow_id, "limit": limit, "cursor": cursor}, options)

    def diff_flow(
        self,
        flow_id: str,
        *,
        from_: int | None = None,
        to: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Compare two versions: sentences, structure and an RFC 6902 patch."""
        operation = Operation("GET", "/v1/flows/{flow_id}/diff")
        return self._call(operation, {"flow_id": flow_id, "from": from_, "to": to}, None, options)

    def diff_definition(
        self,
        flow_id: str,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Compare a version with a definition in the request."""
        operation = Operation("POST", "/v1/flows/{flow_id}/diff")
        return self._call(operation, {"flow_id": flow_id}, body, options)

    def draw_flow(
        self,
        flow_id: str,
        *,
        format: str | None = None,
        version: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Draw a version as Mermaid, DOT or SVG."""
        operation = Operation("GET", "/v1/flows/{flow_id}/diagram")
        return self._call(operation, {"flow_id": flow_id, "format": format, "version": version}, None, options)

    def draw_definition(
        self,
        flow_id: str,
        *,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Draw a definition in the request, or a version."""
        operation = Operation("POST", "/v1/flows/{flow_id}/diagram")
        return self._call(operation, {"flow_id": flow_id}, body, options)

    def simulate_flow(
        self,
        flow_id: str,
        *,
        body: Mapping[str, Any],
        trace: bool | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Simulate a conversation with any version or definition, without side effects."""
        operation = Operation("POST", "/v1/flows/{flow_id}/simulate")
        return self._call(operation, {"flow_id": flow_id, "trace": trace}, body, options)

    def list_tests(
        self,
        flow_id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages:
        """List the stored tests of a flow, by name."""
        operation = Operation("GET", "/v1/flows/{flow_id}/tests", pages="items")
        return self._list(operation, {"flow_id": flow_id, "limit": limit, "cursor": cursor}, options)

    def run_tests(
        self,
        flow_id: str,
        *,
        body: Mapping[str, Any] | None = None,
        version: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Run every stored test against a version or a definition."""
        operation = Operation("POST", "/v1/flows/{flow_id}/tests/run")
        return self._call(operation, {"flow_id": flow_id, "version": version}, body, options)

    def put_test(
        self,
        flow_id: str,
        name: str,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Store a test: a conversation and its expected results."""
        operation = Operation("PUT", "/v1/flows/{flow_id}/tests/{name}")
        return self._call(operation, {"flow_id": flow_id, "name": name}, body, options)

    def get_test(
        self,
        flow_id: str,
        name: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Get a stored test."""
        operation = Operation("GET", "/v1/flows/{flow_id}/tests/{name}")
        return self._call(operation, {"flow_id": flow_id, "name": name}, None, options)

    def delete_test(
        self,
        flow_id: str,
        name: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Delete a stored test."""
        operation = Operation("DELETE", "/v1/flows/{flow_id}/tests/{name}")
        return self._call(operation, {"flow_id": flow_id, "name": name}, None, options)

    def replay_turns(
        self,
        flow_id: str,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Replay recorded turns on any version, and show the differences."""
        operation = Operation("POST", "/v1/flows/{flow_id}/replay")
        return self._call(operation, {"flow_id": flow_id}, body, options)

    def teach_flow(
        self,
        flow_id: str,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Teach a branch from a recorded turn: example, test, and which other turns change."""
        operation = Operation("POST", "/v1/flows/{flow_id}/teach")
        return self._call(operation, {"flow_id": flow_id}, body, options)

    def generate_tests(
        self,
        flow_id: str,
        *,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Generate conversations that take every reachable edge; `save` stores them as tests."""
        operation = Operation("POST", "/v1/flows/{flow_id}/tests/generate")
        return self._call(operation, {"flow_id": flow_id}, body, options)

    def get_coverage(
        self,
        flow_id: str,
        *,
        version: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Measure which edges and nodes stored and generated tests visit."""
        operation = Operation("GET", "/v1/flows/{flow_id}/coverage")
        return self._call(operation, {"flow_id": flow_id, "version": version}, None, options)

    def measure_coverage(
        self,
        flow_id: str,
        *,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Measure coverage with recorded turns, or of a definition in the request."""
        operation = Operation("POST", "/v1/flows/{flow_id}/coverage")
        return self._call(operation, {"flow_id": flow_id}, body, options)

    def measure_classifier(
        self,
        flow_id: str,
        *,
        version: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Measure how well examples tell the branches of each node apart."""
        operation = Operation("GET", "/v1/flows/{flow_id}/classifier")
        return self._call(operation, {"flow_id": flow_id, "version": version}, None, options)

    def reach_place(
        self,
        flow_id: str,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Find the shortest conversation to a node or an edge, or why none exists."""
        operation = Operation("POST", "/v1/flows/{flow_id}/reach")
        return self._call(operation, {"flow_id": flow_id}, body, options)

    def read_answer(
        self,
        flow_id: str,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Show how a question reads an utterance, word by word."""
        operation = Operation("POST", "/v1/flows/{flow_id}/read")
        return self._call(operation, {"flow_id": flow_id}, body, options)

    def compare_flows(
        self,
        flow_id: str,
        *,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Compare the behaviour of two versions, with their diff."""
        operation = Operation("POST", "/v1/flows/{flow_id}/compare")
        return self._call(operation, {"flow_id": flow_id}, body, options)

    def preview_publish(
        self,
        flow_id: str,
        *,
        version: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Preview what publishing a version changes for callers, and its test run."""
        operation = Operation("GET", "/v1/flows/{flow_id}/publish/preview")
        return self._call(operation, {"flow_id": flow_id, "version": version}, None, options)

    def get_model_settings(
        self,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Get provider, fallback, prices and budget of models, without keys."""
        operation = Operation("GET", "/v1/gateway/settings")
        return self._call(operation, {}, None, options)

    def put_model_settings(
        self,
        *,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Set provider, fallback, prices and budget of models."""
        operation = Operation("PUT", "/v1/gateway/settings")
        return self._call(operation, {}, body, options)

    def delete_model_settings(
        self,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Delete the model settings: those of the deployment apply again."""
        operation = Operation("DELETE", "/v1/gateway/settings")
        return self._call(operation, {}, None, options)

    def get_model_usage(
        self,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Get the tokens and the cost of models, by month."""
        operation = Operation("GET", "/v1/gateway/usage")
        return self._call(operation, {}, None, options)

    def check_gateway(
        self,
        *,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Try classifier, extractor and agent with the configured provider of models."""
        operation = Operation("POST", "/v1/gateway/check")
        return self._call(operation, {}, body, options)

    def get_assistant(
        self,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Get whether the assistant can be used, or why not."""
        operation = Operation("GET", "/v1/assistant")
        return self._call(operation, {}, None, options)

    def propose_change(
        self,
        flow_id: str,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Propose a change of a draft by a model, checked and tested; stores nothing."""
        operation = Operation("POST", "/v1/flows/{flow_id}/assistant")
        return self._call(operation, {"flow_id": flow_id}, body, options)

    def create_api_key(
        self,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Issue a product API key; only this answer shows it."""
        operation = Operation("POST", "/v1/api-keys", creates=True)
        return self._call(operation, {}, body, options)

    def list_api_keys(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages:
        """List the keys that are not revoked, newest first."""
        operation = Operation("GET", "/v1/api-keys", pages="items")
        return self._list(operation, {"limit": limit, "cursor": cursor}, options)

    def put_api_key(
        self,
        id: str,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Create or change a key by an id of your own; only the answer 201 shows the key."""
        operation = Operation("PUT", "/v1/api-keys/{id}")
        return self._call(operation, {"id": id}, body, options)

    def get_api_key(
        self,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Get a key that is not revoked."""
        operation = Operation("GET", "/v1/api-keys/{id}")
        return self._call(operation, {"id": id}, None, options)

    def delete_api_key(
        self,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Revoke a key immediately."""
        operation = Operation("DELETE", "/v1/api-keys/{id}")
        return self._call(operation, {"id": id}, None, options)

    def get_my_api_key(
        self,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Get the key that this request was made with."""
        operation = Operation("GET", "/v1/api-keys/me")
        return self._call(operation, {}, None, options)

    def rotate_api_key(
        self,
        id: str,
        *,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Issue a successor with the same name, scopes and addresses; the old key stays valid for the grace time."""
        operation = Operation("POST", "/v1/api-keys/{id}/rotate", creates=True)
        return self._call(operation, {"id": id}, body, options)

    def list_audit_log(
        self,
        *,
        action: str | None = None,
        actor: str | None = None,
        from_: float | None = None,
        to: float | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages:
        """Who did what, newest first; stored for a year."""
        operation = Operation("GET", "/v1/audit-log", pages="items")
        return self._list(operation, {"action": action, "actor": actor, "from": from_, "to": to, "limit": limit, "cursor": cursor}, options)

    def list_alerts(
        self,
        *,
        status: str | None = None,
        kind: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages:
        """What goes wrong for the organisation on this platform, newest first; for its operators."""
        operation = Operation("GET", "/v1/alerts", pages="items")
        return self._list(operation, {"status": status, "kind": kind, "limit": limit, "cursor": cursor}, options)

    def acknowledge_alert(
        self,
        id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Acknowledge an alert. It resolves by itself when its cause is gone."""
        operation = Operation("PUT", "/v1/alerts/{id}/acknowledgement")
        return self._call(operation, {"id": id}, None, options)

    def get_organization(
        self,
        **options: Unpack[CallOptions],
    ) -> Any:
        """The organisation of the credential: its plan, its limits, and their use."""
        operation = Operation("GET", "/v1/organization")
        return self._call(operation, {}, None, options)

    def execute_turn_on_product_face(
        self,
        flow_id: str,
        *,
        body: Mapping[str, Any] | None = None,
        version: int | None = None,
        trace: bool | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Advance a flow by one turn."""
        operation = Operation("POST", "/product/v1/flows/{flow_id}/execute")
        return self._call(operation, {"flow_id": flow_id, "version": version, "trace": trace}, body, options)

    def create_flow_on_product_face(
        self,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Create a flow at version 1."""
        operation = Operation("POST", "/product/v1/flows", creates=True)
        return self._call(operation, {}, body, options)

    def list_flows_on_product_face(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        q: str | None = None,
        published: bool | None = None,
        archived: bool | None = None,
        state: bool | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages:
        """List flows, newest first; `state` adds what is published and the problems."""
        operation = Operation("GET", "/product/v1/flows", pages="items")
        return self._list(operation, {"limit": limit, "cursor": cursor, "q": q, "published": published, "archived": archived, "state": state}, options)

    def import_flow_on_product_face(
        self,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Convert a flow of another product, with a report for each node."""
        operation = Operation("POST", "/product/v1/flows/import")
        return self._call(operation, {}, body, options)

    def get_flow_on_product_face(
        self,
        flow_id: str,
        *,
        version: Any | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Get the latest version of a flow, or another one."""
        operation = Operation("GET", "/product/v1/flows/{flow_id}")
        return self._call(operation, {"flow_id": flow_id, "version": version}, None, options)

    def update_flow_on_product_face(
        self,
        flow_id: str,
        *,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Append an immutable version."""
        operation = Operation("PATCH", "/product/v1/flows/{flow_id}")
        return self._call(operation, {"flow_id": flow_id}, body, options)

    def archive_flow_on_product_face(
        self,
        flow_id: str,
        *,
        restore: bool | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Archive a flow, or restore it."""
        operation = Operation("DELETE", "/product/v1/flows/{flow_id}")
        return self._call(operation, {"flow_id": flow_id, "restore": restore}, None, options)

    def validate_flow_on_product_face(
        self,
        flow_id: str,
        *,
        body: Mapping[str, Any] | None = None,
        version: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Validate a definition, or the stored flow."""
        operation = Operation("POST", "/product/v1/flows/{flow_id}/validate")
        return self._call(operation, {"flow_id": flow_id, "version": version}, body, options)

    def list_versions_on_product_face(
        self,
        flow_id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages:
        """List the versions of a flow, newest first."""
        operation = Operation("GET", "/product/v1/flows/{flow_id}/versions", pages="items")
        return self._list(operation, {"flow_id": flow_id, "limit": limit, "cursor": cursor}, options)

    def publish_flow_on_product_face(
        self,
        flow_id: str,
        *,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Publish a version, or roll back to an earlier one."""
        operation = Operation("POST", "/product/v1/flows/{flow_id}/publish")
        return self._call(operation, {"flow_id": flow_id}, body, options)

    def unpublish_flow_on_product_face(
        self,
        flow_id: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Clear the publish pointer."""
        operation = Operation("DELETE", "/product/v1/flows/{flow_id}/publish")
        return self._call(operation, {"flow_id": flow_id}, None, options)

    def duplicate_flow_on_product_face(
        self,
        flow_id: str,
        *,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Copy a version into a new flow at version 1, unpublished."""
        operation = Operation("POST", "/product/v1/flows/{flow_id}/duplicate", creates=True)
        return self._call(operation, {"flow_id": flow_id}, body, options)

    def list_publications_on_product_face(
        self,
        flow_id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages:
        """List publications of a flow, newest first."""
        operation = Operation("GET", "/product/v1/flows/{flow_id}/publications", pages="items")
        return self._list(operation, {"flow_id": flow_id, "limit": limit, "cursor": cursor}, options)

    def diff_flow_on_product_face(
        self,
        flow_id: str,
        *,
        from_: int | None = None,
        to: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Compare two versions: sentences, structure and an RFC 6902 patch."""
        operation = Operation("GET", "/product/v1/flows/{flow_id}/diff")
        return self._call(operation, {"flow_id": flow_id, "from": from_, "to": to}, None, options)

    def diff_definition_on_product_face(
        self,
        flow_id: str,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Compare a version with a definition in the request."""
        operation = Operation("POST", "/product/v1/flows/{flow_id}/diff")
        return self._call(operation, {"flow_id": flow_id}, body, options)

    def draw_flow_on_product_face(
        self,
        flow_id: str,
        *,
        format: str | None = None,
        version: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Draw a version as Mermaid, DOT or SVG."""
        operation = Operation("GET", "/product/v1/flows/{flow_id}/diagram")
        return self._call(operation, {"flow_id": flow_id, "format": format, "version": version}, None, options)

    def draw_definition_on_product_face(
        self,
        flow_id: str,
        *,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Draw a definition in the request, or a version."""
        operation = Operation("POST", "/product/v1/flows/{flow_id}/diagram")
        return self._call(operation, {"flow_id": flow_id}, body, options)

    def simulate_flow_on_product_face(
        self,
        flow_id: str,
        *,
        body: Mapping[str, Any],
        trace: bool | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Simulate a conversation with any version or definition, without side effects."""
        operation = Operation("POST", "/product/v1/flows/{flow_id}/simulate")
        return self._call(operation, {"flow_id": flow_id, "trace": trace}, body, options)

    def list_tests_on_product_face(
        self,
        flow_id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Pages:
        """List the stored tests of a flow, by name."""
        operation = Operation("GET", "/product/v1/flows/{flow_id}/tests", pages="items")
        return self._list(operation, {"flow_id": flow_id, "limit": limit, "cursor": cursor}, options)

    def run_tests_on_product_face(
        self,
        flow_id: str,
        *,
        body: Mapping[str, Any] | None = None,
        version: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Run every stored test against a version or a definition."""
        operation = Operation("POST", "/product/v1/flows/{flow_id}/tests/run")
        return self._call(operation, {"flow_id": flow_id, "version": version}, body, options)

    def put_test_on_product_face(
        self,
        flow_id: str,
        name: str,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Store a test: a conversation and its expected results."""
        operation = Operation("PUT", "/product/v1/flows/{flow_id}/tests/{name}")
        return self._call(operation, {"flow_id": flow_id, "name": name}, body, options)

    def get_test_on_product_face(
        self,
        flow_id: str,
        name: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Get a stored test."""
        operation = Operation("GET", "/product/v1/flows/{flow_id}/tests/{name}")
        return self._call(operation, {"flow_id": flow_id, "name": name}, None, options)

    def delete_test_on_product_face(
        self,
        flow_id: str,
        name: str,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Delete a stored test."""
        operation = Operation("DELETE", "/product/v1/flows/{flow_id}/tests/{name}")
        return self._call(operation, {"flow_id": flow_id, "name": name}, None, options)

    def replay_turns_on_product_face(
        self,
        flow_id: str,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Replay recorded turns on any version, and show the differences."""
        operation = Operation("POST", "/product/v1/flows/{flow_id}/replay")
        return self._call(operation, {"flow_id": flow_id}, body, options)

    def teach_flow_on_product_face(
        self,
        flow_id: str,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Teach a branch from a recorded turn: example, test, and which other turns change."""
        operation = Operation("POST", "/product/v1/flows/{flow_id}/teach")
        return self._call(operation, {"flow_id": flow_id}, body, options)

    def generate_tests_on_product_face(
        self,
        flow_id: str,
        *,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Generate conversations that take every reachable edge; `save` stores them as tests."""
        operation = Operation("POST", "/product/v1/flows/{flow_id}/tests/generate")
        return self._call(operation, {"flow_id": flow_id}, body, options)

    def get_coverage_on_product_face(
        self,
        flow_id: str,
        *,
        version: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Measure which edges and nodes stored and generated tests visit."""
        operation = Operation("GET", "/product/v1/flows/{flow_id}/coverage")
        return self._call(operation, {"flow_id": flow_id, "version": version}, None, options)

    def measure_coverage_on_product_face(
        self,
        flow_id: str,
        *,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Measure coverage with recorded turns, or of a definition in the request."""
        operation = Operation("POST", "/product/v1/flows/{flow_id}/coverage")
        return self._call(operation, {"flow_id": flow_id}, body, options)

    def measure_classifier_on_product_face(
        self,
        flow_id: str,
        *,
        version: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Measure how well examples tell the branches of each node apart."""
        operation = Operation("GET", "/product/v1/flows/{flow_id}/classifier")
        return self._call(operation, {"flow_id": flow_id, "version": version}, None, options)

    def reach_place_on_product_face(
        self,
        flow_id: str,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Find the shortest conversation to a node or an edge, or why none exists."""
        operation = Operation("POST", "/product/v1/flows/{flow_id}/reach")
        return self._call(operation, {"flow_id": flow_id}, body, options)

    def read_answer_on_product_face(
        self,
        flow_id: str,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Show how a question reads an utterance, word by word."""
        operation = Operation("POST", "/product/v1/flows/{flow_id}/read")
        return self._call(operation, {"flow_id": flow_id}, body, options)

    def compare_flows_on_product_face(
        self,
        flow_id: str,
        *,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Compare the behaviour of two versions, with their diff."""
        operation = Operation("POST", "/product/v1/flows/{flow_id}/compare")
        return self._call(operation, {"flow_id": flow_id}, body, options)

    def preview_publish_on_product_face(
        self,
        flow_id: str,
        *,
        version: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Preview what publishing a version changes for callers, and its test run."""
        operation = Operation("GET", "/product/v1/flows/{flow_id}/publish/preview")
        return self._call(operation, {"flow_id": flow_id, "version": version}, None, options)

    def get_model_settings_on_product_face(
        self,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Get provider, fallback, prices and budget of models, without keys."""
        operation = Operation("GET", "/product/v1/gateway/settings")
        return self._call(operation, {}, None, options)

    def put_model_settings_on_product_face(
        self,
        *,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Set provider, fallback, prices and budget of models."""
        operation = Operation("PUT", "/product/v1/gateway/settings")
        return self._call(operation, {}, body, options)

    def delete_model_settings_on_product_face(
        self,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Delete the model settings: those of the deployment apply again."""
        operation = Operation("DELETE", "/product/v1/gateway/settings")
        return self._call(operation, {}, None, options)

    def get_model_usage_on_product_face(
        self,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Get the tokens and the cost of models, by month."""
        operation = Operation("GET", "/product/v1/gateway/usage")
        return self._call(operation, {}, None, options)

    def check_gateway_on_product_face(
        self,
        *,
        body: Mapping[str, Any] | None = None,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Try classifier, extractor and agent with the configured provider of models."""
        operation = Operation("POST", "/product/v1/gateway/check")
        return self._call(operation, {}, body, options)

    def get_assistant_on_product_face(
        self,
        **options: Unpack[CallOptions],
    ) -> Any:
        """Get whether the assistant can be used, or why not."""
        operation = Operation("GET", "/product/v1/assistant")
        return self._call(operation, {}, None, options)

    def propose_change_on_product_face(
        self,
        flow_id: str,
        *,
        body: Mapping[str, Any],
        **options: Unpack[CallOptions],
    ) -> Any:
        """Propose a change of a draft by a model, checked and tested; stores nothing."""
        operation = Operation("POST", "/product/v1/flows/{flow_id}/assistant")
        return self._call(operation, {"flow_id": flow_id}, body, options)
