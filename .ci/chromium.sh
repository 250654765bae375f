# Sourced by .ci/run: a Chromium for the tests of the console. Installs Debian's where there is none; tests find it where
# Debian puts it, or where QUAI_CHROMIUM says.

install_chromium() {
  local as_root=()
  [ "$(id -u)" = 0 ] || as_root=(sudo -n)
  "${as_root[@]}" apt-get update -q
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends chromium
}

# Ends the run where there is none and none can be had.
ensure_chromium() {
  local path="${QUAI_CHROMIUM:-/usr/bin/chromium}"
  [ -x "$path" ] || install_chromium
  if [ ! -x "$path" ]; then
    echo "Chromium could not be installed at $path" >&2
    exit 1
  fi
}
