"""What `adopt` says in English words of its own, in Japanese: why something is left alone, and what to do instead."""

from __future__ import annotations

from typing import Final

ADOPT_PHRASES: Final[tuple[tuple[str, str], ...]] = (
    ("cannot adopt {x} at {y}: {z}", "{x} の {y} は取り込めません: {z}"),
    ("cannot adopt {x}: {y}", "{x} は取り込めません: {y}"),
    ("changes of Secrets are not adopted", "Secret の変更は取り込みません"),
    (
        "Change the value where the manifest takes it from (a provider, an encrypted file), then apply. "
        "Or put it back with `tazuna apply --only {x}`.",
        "値の取得元 (プロバイダー、暗号化ファイル) で変更して適用するか、`tazuna apply --only {x}` で元に戻します。",
    ),
    (
        "it was deleted in the cluster; there is nothing to adopt",
        "クラスターで削除されているため、取り込むものがありません",
    ),
    (
        "Remove it from the repository by hand, or put it back with `tazuna apply --only {x}`.",
        "リポジトリから手で消すか、`tazuna apply --only {x}` で元に戻します。",
    ),
    ("it is being deleted in the cluster", "クラスターで削除中です"),
    ("Wait until it is gone, or put it back afterwards.", "消えるのを待つか、その後で元に戻します。"),
    (
        "it comes from an artifact of a registry, whose files are not in this repository",
        "レジストリの成果物から来ており、ファイルはこのリポジトリにありません",
    ),
    (
        "Change it where the artifact is made. Put it back with `tazuna apply --only {x}` until then.",
        "成果物を作る側で変更します。それまでは `tazuna apply --only {x}` で元に戻します。",
    ),
    (
        "the server had set it and the repository does not declare it, so it cannot say that it is gone",
        "サーバーが設定した値でリポジトリにはないため、消えたことを表現できません",
    ),
    (
        "Put it back with `tazuna apply --only {x}`, or hide it with a rule of tazuna.drift.yaml.",
        "`tazuna apply --only {x}` で元に戻すか、tazuna.drift.yaml のルールで非表示にします。",
    ),
    ("Put it back with `tazuna apply --only {x}`.", "`tazuna apply --only {x}` で元に戻します。"),
    ("it names uids of this cluster", "このクラスターの uid を指しています"),
    ("it names a claim by its uid in this cluster", "このクラスターの uid で PVC を指しています"),
    ("it names a node of this cluster", "このクラスターのノードを指しています"),
    ("the namespace controller owns it", "Namespace コントローラーのものです"),
    (
        "it was written at {x}, which the repository does not use",
        "リポジトリが使わない {x} で書かれています",
    ),
    (
        "Declare the object at {x}, or put it back with `tazuna apply --only {y}`.",
        "オブジェクトを {x} で宣言するか、`tazuna apply --only {y}` で元に戻します。",
    ),
    ("the change is a controller's ({x})", "コントローラー ({x}) の変更です"),
    (
        "the change is of a manager that is not known to be a person ({x})",
        "人とは分からないマネージャー ({x}) の変更です",
    ),
    (
        "Adopt it by naming the object, or hide it with a rule of tazuna.drift.yaml.",
        "オブジェクトを指定して取り込むか、tazuna.drift.yaml のルールで非表示にします。",
    ),
    (
        "the repository has changed it as well since the last apply",
        "前回の適用後にリポジトリでも変更されています",
    ),
    (
        "Name the object to give up the repository's value, or apply it.",
        "リポジトリの値を捨てるならオブジェクトを指定し、そうでなければ適用します。",
    ),
    (
        "the repository does not declare it like this any more",
        "リポジトリはもう同じ形では宣言していません",
    ),
    ("Apply first.", "先に適用してください。"),
    (
        "a generator of kustomize makes it, and its name from its content",
        "kustomize のジェネレーターが作り、名前も内容から決まります",
    ),
    (
        "Change the file or literal that it is generated from, or put it back with `tazuna apply --only {x}`.",
        "生成元のファイルやリテラルを変更するか、`tazuna apply --only {x}` で元に戻します。",
    ),
    ("its manifest is a directory, which has no patches", "マニフェストは directory で、パッチがありません"),
    ("Leave --as out, or give --as yaml.", "--as を省くか、--as yaml を指定します。"),
    ("it is rendered by a chart; the cluster has {x}", "チャートから生成されています。クラスターの値: {x}"),
    (
        "Look at {x}. Change the value, then `tazuna plan`.",
        "次の場所を確認して値を変更し、`tazuna plan` を実行します: {x}",
    ),
    (
        "Find the value of the chart that sets it, change it, then `tazuna plan`.",
        "該当するチャートの値を変更し、`tazuna plan` を実行します。",
    ),
    (
        "Change it by hand, or put it back with `tazuna apply --only {x}`.",
        "手で変更するか、`tazuna apply --only {x}` で元に戻します。",
    ),
    (
        "the build would not say what is live at {x}: something later sets it",
        "{x} がビルド結果に反映されません。後の処理が上書きしています",
    ),
    (
        "the change would give it another name: it is generated, so change what it is generated from",
        "変更すると名前が変わります。生成元を変更してください",
    ),
    ("{x} would change as well", "{x} も変わってしまいます"),
    ("it does not build any more: {x}", "ビルドできなくなります: {x}"),
    ("a strategic merge patch cannot say it", "strategic merge パッチでは表現できません"),
    (
        "the value is shared: it is anchored as '&{x}' and used again in line {y}",
        "値が '&{x}' で共有され、{y} 行目でも使われています",
    ),
    (
        "'{x}' comes by '<<' from elsewhere, so it cannot be removed here",
        "'{x}' は '<<' から来るため、ここでは消せません",
    ),
    ("a key is there twice", "キーが 2 回あります"),
    (
        "the change cannot be written in place without changing something else",
        "ほかの内容を変えずに書くことができません",
    ),
    ("no file of {x} holds the object as it is built", "{x} のファイルに、このとおりのオブジェクトはありません"),
    ("the object is written {x} times ({y})", "オブジェクトが {x} 回書かれています ({y})"),
    ("{x} lies outside of the repository {y}", "{x} はリポジトリ {y} の外にあります"),
    (
        "{x} is built otherwise now, so the next apply deletes it and creates it anew",
        "{x} のビルド結果が変わるため、次の適用で削除して作り直します",
    ),
    (
        "{x} is new and git ignores it, so no commit would hold it",
        "新しいファイル {x} は git の無視対象で、コミットに入りません",
    ),
    (
        "Change .gitignore, or add it with `git add --force {x}`.",
        ".gitignore を直すか、`git add --force {x}` で追加します。",
    ),
    ("{x} cannot be written: {y}", "{x} に書き込めません: {y}"),
    ("{x} cannot be put back: {y}", "{x} を元に戻せません: {y}"),
    ("All files are as they were.", "ファイルはすべて元のままです。"),
    ("`git diff` shows what is left of the change.", "残った変更は `git diff` で分かります。"),
)
