# Sourced by .ci/run: the programs that the guides' samples are written for, and debootstrap, which makes the server that one
# guide is typed on. Installs Debian's where there are none.

install_programs() {
  local as_root=()
  [ "$(id -u)" = 0 ] || as_root=(sudo -n)
  "${as_root[@]}" apt-get update -q
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@"
}

# Ends the run where one is missing and can't be had. A program's package has its name.
ensure_programs() {
  local missing=() program
  for program in "$@"; do
    command -v "$program" >/dev/null 2>&1 || missing+=("$program")
  done
  [ ${#missing[@]} = 0 ] || install_programs "${missing[@]}"
  for program in "${missing[@]}"; do
    if ! command -v "$program" >/dev/null 2>&1; then
      echo "$program could not be installed" >&2
      exit 1
    fi
  done
}
