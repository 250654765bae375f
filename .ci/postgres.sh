# Sourced by .ci/run: a separate PostgreSQL for the tests that need one. Installs Debian's package if there is none, starts
# a server on a free loopback port with a new folder, and stops it at the end. PostgreSQL refuses to run as root, so root
# starts it as the user postgres, who owns no other file of the run.

postgres_folder=''
postgres_bin=''

# The folder of programs of the newest installed version; empty if there is none.
find_postgres_bin() {
  local initdb
  initdb="$(find /usr/lib/postgresql -path '*/bin/initdb' 2>/dev/null | sort -V | tail -n 1)"
  if [ -n "$initdb" ]; then
    dirname "$initdb"
  elif command -v initdb >/dev/null 2>&1 && command -v pg_ctl >/dev/null 2>&1; then
    dirname "$(command -v initdb)"
  fi
}

install_postgres() {
  local as_root=()
  [ "$(id -u)" = 0 ] || as_root=(sudo -n)
  # Otherwise Debian starts its own cluster during the installation, which we don't need.
  "${as_root[@]}" mkdir -p /etc/postgresql-common
  [ -e /etc/postgresql-common/createcluster.conf ] ||
    echo 'create_main_cluster = false' | "${as_root[@]}" tee /etc/postgresql-common/createcluster.conf >/dev/null
  "${as_root[@]}" apt-get update -q
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends postgresql
}

# Runs a program as the user that may run the server.
as_postgres() {
  if [ "$(id -u)" = 0 ]; then
    (cd / && setpriv --reuid=postgres --regid=postgres --init-groups "$@")
  else
    "$@"
  fi
}

# Starts the server and exports QUAI_TEST_POSTGRES; ends the run if that fails.
start_postgres() {
  postgres_bin="$(find_postgres_bin)"
  if [ -z "$postgres_bin" ]; then
    install_postgres
    postgres_bin="$(find_postgres_bin)"
  fi
  if [ -z "$postgres_bin" ]; then
    echo 'PostgreSQL could not be installed' >&2
    exit 1
  fi
  postgres_folder="$(mktemp -d)"
  [ "$(id -u)" != 0 ] || chown postgres "$postgres_folder"
  as_postgres "$postgres_bin/initdb" -D "$postgres_folder/data" -U quai -A trust -E UTF8 --locale=C.UTF-8 --no-sync >/dev/null
  local port
  for _ in 1 2 3 4 5; do
    port=$((20000 + RANDOM % 10000))
    if as_postgres "$postgres_bin/pg_ctl" -D "$postgres_folder/data" -w -t 60 -s -l "$postgres_folder/log" \
      -o "-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories=$postgres_folder -c fsync=off" start; then
      export QUAI_TEST_POSTGRES="postgres://quai@127.0.0.1:$port/postgres"
      return
    fi
  done
  echo 'PostgreSQL could not be started:' >&2
  tail -n 20 "$postgres_folder/log" >&2
  exit 1
}

stop_postgres() {
  [ -n "$postgres_folder" ] || return 0
  as_postgres "$postgres_bin/pg_ctl" -D "$postgres_folder/data" -s -m immediate stop || true
  rm -rf "$postgres_folder" || true
}
