"""What a report says in English words of its own (notes, reasons, rules, warnings), in the language of its reader.

The JSON is English in every language, for programs read it; a renderer for people puts its words into Japanese first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Final

from tazuna_core.report.model import Adoption, ErrorLine, FieldChange, ObjectReport, Report
from tazuna_core.report.phrases_adopt import ADOPT_PHRASES

PHRASES: Final[tuple[tuple[str, str], ...]] = (
    *ADOPT_PHRASES,
    # Notes on objects
    ("re-created since the last apply", "前回の適用後に再作成されています"),
    (
        "declared as {x} now",
        "現在は {x} として宣言されています",
    ),
    (
        "declared by manifest '{x}' as well, which is applied later",
        "後から適用されるマニフェスト '{x}' でも宣言されています",
    ),
    ("declared by manifest '{x}' now", "現在はマニフェスト '{x}' で宣言されています"),
    ("declared by manifest '{x}' before", "以前はマニフェスト '{x}' で宣言されていました"),
    ("declared as {x} before", "以前は {x} として宣言されていました"),
    ("its key was {x}", "以前のキーは {x}"),
    ("its key is {x}", "現在のキーは {x}"),
    (
        "is deleted and created anew: its kind cannot be changed in place",
        "この種類は変更できないため、削除して作り直します",
    ),
    ("is in the cluster already, as built", "ビルド結果と同じものが既にクラスターにあります"),
    ("deleted by hand, and changed in the repository", "手作業で削除され、リポジトリでも変更されています"),
    ("already gone from the cluster", "クラスターには既にありません"),
    ("ignored by the server: {x}", "サーバーが無視したフィールド: {x}"),
    ("the API knows no field {x}. Did you mean '{y}'?", "API にフィールド {x} はありません。'{y}' ではありませんか"),
    ("the API knows no field {x}. Known: {y}.", "API にフィールド {x} はありません。使えるもの: {y}"),
    ("the API knows no field {x}", "API にフィールド {x} はありません"),
    ("{x} has two items with the same key: {y}", "{x} に同じキーの項目が 2 つあります: {y}"),
    ("{x} holds {y} twice", "{x} に {y} が 2 回あります"),
    ("namespace '{x}' is gone", "Namespace '{x}' がありません"),
    ("being deleted since {x}, waiting for {y}", "{x} から削除中、{y} を待っています"),
    ("being deleted since {x}", "{x} から削除中"),
    ("removed by its own TTL of {x} s", "自身の TTL ({x} 秒) により削除されました"),
    ("a helm hook that is deleted after its run ({x})", "実行後に削除される helm フックです ({x})"),
    ("no dry run ({x}: {y}); compared instead", "dry run できなかったため比較しました ({x}: {y})"),
    ("not applied: see the errors", "適用していません。エラーを参照"),
    ("not deleted: see the errors", "削除していません。エラーを参照"),
    ("deleted", "削除しました"),
    # Notes on fields
    ("order changed", "順序のみ変更"),
    ("a value changed; the server does not know which", "値が変更されましたが、どの値かはサーバーにも分かりません"),
    ("value changed", "値を変更"),
    ("key added", "キーを追加"),
    ("key removed", "キーを削除"),
    ("key removed by hand", "キーが手作業で削除されています"),
    ("invalid base64", "base64 として正しくありません"),
    (
        "the same characters as text and not as text: quotes were lost or added",
        "同じ文字ですが、文字列かどうかが異なります (引用符の有無)",
    ),
    ("written otherwise, the same to the server", "表記のみの違いで、サーバーにとっては同じです"),
    (
        "differs since it was applied, and our own apply entry holds it: the server rewrote it",
        "適用時から異なり、保持しているのは自分の適用です。サーバーが書き換えました",
    ),
    (
        "the server would leave it as it is: admission, or its own form of the value, makes the two the same",
        "サーバーはこのまま残します (Admission またはサーバー側の表記により同じ値になります)",
    ),
    (
        "the server would change it: admission sets it, or a default has changed",
        "サーバーが変更します (Admission による設定、または既定値の変更)",
    ),
    ("the live value is not known here", "クラスター側の値はここでは分かりません"),
    ("seen at {x}", "{x} で読んだときに見えます"),
    ("changed at {x}, which cannot be read: {y}", "{x} で変更されていますが、読み取れません: {y}"),
    # Rules that hide
    ("autoscaled replicas", "オートスケーラーの replicas"),
    ("injected caBundle", "注入された caBundle"),
    ("aggregated role", "集約された ClusterRole"),
    ("token secret", "トークンの Secret"),
    ("cluster-assigned", "クラスターが割り当てた値"),
    ("deployment revision", "Deployment のリビジョン"),
    ("kept by the server", "サーバーが管理する注釈"),
    ("generated selector", "生成されたセレクター"),
    ("generated secrets of a ServiceAccount", "ServiceAccount に生成された Secret"),
    ("last-applied annotation", "kubectl apply の注釈"),
    ("server default", "サーバーの既定値"),
    ("controller", "コントローラー"),
    ("encodes fields of another version", "別バージョンのフィールドの写し"),
    ("not reproducible", "再現できない値"),
    # Why something was not checked
    ("forbidden", "権限がありません"),
    ("unauthorized", "認証されていません"),
    ("server-error", "サーバーのエラー"),
    ("timeout", "タイムアウト"),
    ("unreachable", "接続できません"),
    ("kind-not-served", "クラスターにない種類です"),
    ("not-in-snapshot", "スナップショットにありません"),
    ("not-found", "見つかりません"),
    ("invalid", "サーバーが受け付けない名前です"),
    ("no-record", "記録がありません"),
    ("no-state", "状態がありません"),
    ("not-built", "ビルドできません"),
    ("not-proven", "適用内容を証明できません"),
    ("generate-name", "名前が固定されていません"),
    ("other-version", "別バージョンで書かれています"),
    ("may not {x}", "権限がありません: {x}"),
    ("run `tazuna state record` once", "一度 `tazuna state record` を実行してください"),
    ("not recorded: {x}", "記録していません: {x}"),
    ("its manifest does not build at both commits", "このマニフェストは両方のコミットではビルドできません"),
    (
        "its record is there and its state is gone; apply the manifest again",
        "記録はありますが状態がありません。マニフェストを再適用してください",
    ),
    ("an object with generateName cannot be compared", "generateName のオブジェクトは比較できません"),
    (
        "fields that the last apply declared and the repository no longer does are not known",
        "前回は宣言され、現在は宣言されていないフィールドが分かりません",
    ),
    ("the cluster serves no {x} of {y}", "クラスターに {y} の {x} はありません"),
    ("the snapshot does not mention {x}", "スナップショットに {x} はありません"),
    ("applied from {x}", "{x} から適用されたもの"),
    ("unnamed", "名前がありません"),
    # Warnings
    (
        "{x} is declared by manifest '{y}' and by '{z}', which wins",
        "{x} はマニフェスト '{y}' と '{z}' で宣言されています。後者が有効です",
    ),
    (
        "manifest '{x}': what was applied as {y} of its objects is not known: {z}",
        "マニフェスト '{x}': {y} 件は適用時の内容が分かりません: {z}",
    ),
    (
        "manifests gone from tazuna.yaml are not looked for: {x}",
        "tazuna.yaml から消えたマニフェストは調べていません: {x}",
    ),
    ("the rule '{x}' hides nothing since {y}", "ルール '{x}' は {y} で期限切れです"),
    ("the rule '{x}' matches nothing", "ルール '{x}' に該当するものはありません"),
    ("{x}: comparison and dry run differ: {y}", "{x}: 比較と dry run の結果が異なります: {y}"),
    ("no dry run of {x} ({y}: {z}); compared instead", "{x} は dry run できなかったため比較しました ({y}: {z})"),
    ("submodule {x} has not got its commit of {y}", "サブモジュール {x} に {y} 時点のコミットがありません"),
    (
        "{x} builds to something else each time: {y}; of these only the presence is compared",
        "{x} はビルドのたびに内容が変わります: {y}。これらは有無だけを比較します",
    ),
    ("{x} builds to something else each time: {y}", "{x} はビルドのたびに内容が変わります: {y}"),
    ("{x} is declared by {y} and by {z}, which wins", "{x} は{y} と{z} で宣言されています。後者が有効です"),
    # Lints
    ("not linted: {x}", "リントしていません: {x}"),
    (
        "{x} needs what is in no cache, and `check` alone fetches nothing",
        "{x} に必要なものがキャッシュになく、`check` だけでは取得しません",
    ),
    (
        "{x} takes variables from 1Password, which only `check --strict` asks",
        "{x} の変数は 1Password にあり、問い合わせるのは `check --strict` だけです",
    ),
    (
        "Run `tazuna check --strict`, or build it once.",
        "`tazuna check --strict` を実行するか、一度ビルドしてください。",
    ),
    (
        "{x} sets no replicas and no autoscaler targets it: a rebuild starts with one",
        "{x} に replicas がなく、対象にするオートスケーラーもありません。再構築すると 1 から始まります",
    ),
    (
        "{x}: the image '{y}' of {z} has no tag, which means 'latest'",
        "{x}: {z} のイメージ '{y}' にタグがなく、'latest' を意味します",
    ),
    (
        "{x}: the image '{y}' of {z} has the tag 'latest', which moves",
        "{x}: {z} のイメージ '{y}' のタグ 'latest' は中身が変わります",
    ),
    ("container '{x}'", "コンテナ '{x}'"),
    ("volume '{x}'", "ボリューム '{x}'"),
    (
        "{x}: the artifact '{y}' has no tag, which means 'latest'",
        "{x}: アーティファクト '{y}' にタグがなく、'latest' を意味します",
    ),
    (
        "{x}: the artifact '{y}' has the tag 'latest', which moves",
        "{x}: アーティファクト '{y}' のタグ 'latest' は中身が変わります",
    ),
    (
        "{x}: the chart '{y}' has no version: the newest is taken",
        "{x}: チャート '{y}' にバージョンがなく、最新のものが使われます",
    ),
    (
        "{x}: the version '{y}' of the chart '{z}' is a range: the newest in it is taken",
        "{x}: チャート '{z}' のバージョン '{y}' は範囲で、その中の最新のものが使われます",
    ),
    (
        "{x}: the remote base '{y}' has no `ref`: its default branch is taken",
        "{x}: リモートの base '{y}' に `ref` がなく、既定のブランチが使われます",
    ),
    (
        "{x}: the remote base '{y}' is read from '{z}', which moves",
        "{x}: リモートの base '{y}' は '{z}' から読まれ、中身が変わります",
    ),
    (
        "{x} needs {y}, which {z} brings at the same time",
        "{x} には {y} が必要ですが、同時に適用される{z} にあります",
    ),
    ("{x} needs {y}, which {z} brings later", "{x} には {y} が必要ですが、後から適用される{z} にあります"),
    ("{x} (and {y} more)", "{x} (ほか {y} 件)"),
    ("this switch-off names no lint", "このコメントにはリントの名前がありません"),
    ("there is no lint '{x}' to switch off. {y}", "リント '{x}' はありません。{y}"),
    ("Did you mean '{x}'?", "'{x}' ではありませんか"),
    (
        "this switch-off of {x} gives no reason, and does not count without one",
        "{x} を無効にするこのコメントには理由がなく、理由がないものは無視します",
    ),
    ("this switch-off of {x} switches nothing off", "{x} を無効にするこのコメントに該当するものはありません"),
    (
        "Name a tag that stays, or a digest (`@sha256:...`).",
        "変わらないタグかダイジェスト (`@sha256:...`) を指定してください。",
    ),
    (
        "Set `spec.replicas`, or let an autoscaler target it.",
        "`spec.replicas` を指定するか、オートスケーラーの対象にしてください。",
    ),
    (
        "Name one version, or a digest (`@sha256:...`).",
        "1 つのバージョンかダイジェスト (`@sha256:...`) を指定してください。",
    ),
    ("Keep one of the two.", "どちらか 1 つにしてください。"),
    (
        "Move the CRD's manifest before it, or name that in `dependsOn`.",
        "CRD のマニフェストを前に置くか、`dependsOn` に書いてください。",
    ),
    (
        "Move the Namespace's manifest before it, or name that in `dependsOn`.",
        "Namespace のマニフェストを前に置くか、`dependsOn` に書いてください。",
    ),
    (
        "Write `# tazuna: ignore[LINT] reason` on the line that a warning names, or directly above it.",
        "`# tazuna: ignore[LINT] 理由` を警告の示す行か、そのすぐ上の行に書いてください。",
    ),
    ("Give the chart these values instead of letting it make them up.", "チャートに生成させず、値を指定してください。"),
    ("Use `fetch-depth: 0`.", "`fetch-depth: 0` を指定してください。"),
    (
        "this manifest has no name, so nothing about it can be recorded: commands that use state skip it",
        "このマニフェストには名前がないため記録できません。状態を使うコマンドはスキップします",
    ),
    ("'{x}' counts for nothing in {y}, whose type is '{z}'", "'{x}' は {y} では無効です (type は '{z}')"),
    ("'spec.{x}' of an included file counts for nothing", "include されたファイルの 'spec.{x}' は無効です"),
    (
        "environment '{x}' has no context_matches, and those of the root do not count for it: any context will do",
        "環境 '{x}' に context_matches がなく、ルートのものも適用されないため、どのコンテキストでも通ります",
    ),
    (
        "{x} includes files, so these fields of it count for nothing: {y}",
        "{x} はファイルを include しているため、次のフィールドは無効です: {y}",
    ),
    (
        "{x}: the hook {y} ({z}) is left out: hooks are not applied",
        "{x}: フック {y} ({z}) は適用しないため除外しました",
    ),
    ("a document with {x} has no kind and is left out", "kind のないドキュメント ({x}) を除外しました"),
    ("a document that is empty ({}) has no kind and is left out", "空のドキュメント ({}) を除外しました"),
    ("{x} is there twice in one manifest{y}", "1 つのマニフェストに {x} が 2 回あります{y}"),
    (
        "document {x} repeats the key '{y}' in one mapping; the last one wins",
        "ドキュメント {x} のマッピングでキー '{y}' が重複しています。最後のものが有効です",
    ),
    (
        "document {x} repeats a key in one object; the last one wins",
        "ドキュメント {x} のオブジェクトでキーが重複しています。最後のものが有効です",
    ),
    ("charts are rendered for {x}", "チャートのレンダリング対象: {x}"),
    (
        "{x} was rendered by helmfile itself, for it uses {y}",
        "{x} は {y} を使うため helmfile 本体でレンダリングしました",
    ),
    # Why something is not ready
    ("{x} of {y} available", "{y} 中 {x} が利用可能"),
    ("{x} of {y} ready", "{y} 中 {x} が準備完了"),
    ("{x} of {y} updated", "{y} 中 {x} が更新済み"),
    ("phase {x}", "フェーズ {x}"),
    ("being deleted", "削除中"),
    ("its controller has not seen the change yet", "コントローラーがまだ変更を処理していません"),
    ("no address of a load balancer yet", "ロードバランサーのアドレスがまだありません"),
    ("failed: {x}", "失敗: {x}"),
    ("no reason given", "理由の記載なし"),
    ("suspended", "一時停止中"),
    ("not finished: {x} active", "未完了: 実行中 {x}"),
    ("{x} is {y}: {z}", "{x} は {y}: {z}"),
    # What was mended
    ("field '{x}' is '{y}' now", "フィールド '{x}' を '{y}' に修正しました"),
    ("the manifest '{x}' is named '{y}' now", "マニフェスト '{x}' の名前を '{y}' に変更しました"),
    ("the manifest is named '{x}'", "マニフェストに名前 '{x}' を付けました"),
    ("'{x}' is '{y}' now", "'{x}' を '{y}' に修正しました"),
    # What others are about
    ("manifest '{x}': {y}", "マニフェスト '{x}': {y}"),
    ("manifest '{x}' at {y}", " {y} のマニフェスト '{x}'"),
    ("manifest '{x}'", "マニフェスト '{x}'"),
    ("the manifest at {x}", " {x} のマニフェスト"),
)
_HOLE = re.compile(r"\{([xyz])\}")


def in_japanese(text: str) -> str:
    """Returns a phrase of ours in Japanese; what is none of ours (a server's words, a user's reason) stays."""
    exact, patterns = _table()
    if text in exact:
        return exact[text]
    for pattern, japanese in patterns:
        match = pattern.fullmatch(text)
        if match:
            found = {name: in_japanese(value) for name, value in match.groupdict().items()}
            return "".join(found.get(piece, piece) if n % 2 else piece for n, piece in enumerate(_HOLE.split(japanese)))
    return text


def report_in_japanese(report: Report) -> Report:
    """Returns the report with its own words in Japanese; names of rules stay, for they are looked up by name."""
    coverage = report.coverage
    unchecked = tuple(
        one.model_copy(update={"reason": in_japanese(one.reason), "message": in_japanese(one.message)})
        for one in coverage.unchecked
    )
    manifests = tuple(
        manifest.model_copy(update={"objects": tuple(map(_object, manifest.objects))}) for manifest in report.manifests
    )
    return report.model_copy(
        update={
            "coverage": coverage.model_copy(update={"unchecked": unchecked}),
            "manifests": manifests,
            "warnings": tuple(map(_line, report.warnings)),
            "fixed": tuple(map(_line, report.fixed)),
            "errors": tuple(map(_line, report.errors)),
            "adoption": report.adoption and _adoption(report.adoption),
        }
    )


def _adoption(adoption: Adoption) -> Adoption:
    left = [
        one.model_copy(update={"message": in_japanese(one.message), "advice": in_japanese(one.advice)})
        for one in adoption.left
    ]
    return adoption.model_copy(update={"left": tuple(left)})


def _object(obj: ObjectReport) -> ObjectReport:
    return obj.model_copy(
        update={"fields": tuple(map(_field, obj.fields)), "notes": tuple(map(in_japanese, obj.notes))}
    )


def _field(field: FieldChange) -> FieldChange:
    return field.model_copy(update={"note": in_japanese(field.note)}) if field.note else field


def _line(line: ErrorLine) -> ErrorLine:
    return line.model_copy(update={"message": in_japanese(line.message), "advice": in_japanese(line.advice)})


@cache
def _table() -> tuple[dict[str, str], tuple[tuple[re.Pattern[str], str], ...]]:
    """The phrases without holes by their text, those with holes as patterns in the order in which they are tried."""
    exact = {english: japanese for english, japanese in PHRASES if not _HOLE.search(english)}
    patterns = tuple(
        (re.compile("".join(_pieces(english)), re.DOTALL), japanese)
        for english, japanese in PHRASES
        if _HOLE.search(english)
    )
    return exact, patterns


def _pieces(english: str) -> Iterable[str]:
    for number, piece in enumerate(_HOLE.split(english)):
        yield f"(?P<{piece}>.*?)" if number % 2 else re.escape(piece)
