# Finds the runner's Python and hands over to bootstrap.py; all that is done before there is one.
if ! command -v python3 >/dev/null 2>&1; then
  echo "::error title=tazuna::This runner has no python3. Put actions/setup-python (3.11 or newer) before this step."
  exit 2
fi
exec python3 -I -B "$GITHUB_ACTION_PATH/entrypoints/bootstrap.py"
