# Sourced by .ci/run: Chromium for the tests of the pages. Installs Debian's package if there is none. Tests look for it in
# Debian's usual place, or at the path in QUAI_CHROMIUM.

install_chromium() {
  local as_root=()
  [ "$(id -u)" = 0 ] || as_root=(sudo -n)
  "${as_root[@]}" apt-get update -q
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends chromium
}

# Ends the run if there is none and it cannot be installed.
ensure_chromium() {
  local path="${QUAI_CHROMIUM:-/usr/bin/chromium}"
  [ -x "$path" ] || install_chromium
  if [ ! -x "$path" ]; then
    echo "Chromium could not be installed at $path" >&2
    exit 1
  fi
}
