# Sourced by .ci/run: the programs that the samples in the guides use, and debootstrap, which creates the server on which
# the installation guide is tested. Installs Debian's packages if they are missing.

install_programs() {
  local as_root=()
  [ "$(id -u)" = 0 ] || as_root=(sudo -n)
  "${as_root[@]}" apt-get update -q
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@"
}

# Ends the run if one is missing and cannot be installed. Each package has the name of its program.
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
