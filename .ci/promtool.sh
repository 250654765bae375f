# Sourced by .ci/run: Prometheus's promtool, for the test of metrics, rules and the configuration of the kit. If there is
# none, it is unpacked from Debian's package, which is not installed because that would start a Prometheus.

promtool_folder=''

unpack_promtool() {
  local as_root=()
  [ "$(id -u)" = 0 ] || as_root=(sudo -n)
  "${as_root[@]}" apt-get update -q
  promtool_folder="$(mktemp -d)"
  chmod 755 "$promtool_folder"
  (cd "$promtool_folder" && apt-get download -q prometheus &&
    dpkg-deb --fsys-tarfile prometheus_*.deb | tar -x ./usr/bin/promtool && rm prometheus_*.deb)
}

# Exports QUAI_PROMTOOL; ends the run if there is none and it cannot be unpacked.
ensure_promtool() {
  QUAI_PROMTOOL="${QUAI_PROMTOOL:-$(command -v promtool || true)}"
  if [ -z "$QUAI_PROMTOOL" ]; then
    unpack_promtool
    QUAI_PROMTOOL="$promtool_folder/usr/bin/promtool"
  fi
  if [ ! -x "$QUAI_PROMTOOL" ]; then
    echo "promtool could not be found or unpacked at $QUAI_PROMTOOL" >&2
    exit 1
  fi
  export QUAI_PROMTOOL
}

remove_promtool() {
  [ -z "$promtool_folder" ] || rm -rf "$promtool_folder"
}
