#!/usr/bin/env bash
# Makes what the secured cluster (docker/secured.yml) needs: secrets, the cluster key, certificates,
# and the settings that name them.
#
#   docker/secrets.sh [FOLDER]      docker/secrets unless it is named; it must not be there yet
#
# Needs openssl. The containers' users must be able to read the files, and no other user may: run it
# as root, or give the two folders to the users 10001 and 10002 afterwards.
set -euo pipefail
umask 077

here=$(cd -P "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=${1:-$here/secrets}
readonly here folder DAYS=365 INSIDE=/secrets

die() {
  printf 'docker/secrets.sh: %s\n' "$*" >&2
  exit 1
}

command -v openssl >/dev/null || die "openssl is missing"
[[ ! -e $folder ]] || die "is there already: $folder"

random() {
  openssl rand -base64 32
}

certificate() { # of a host, signed by the authority
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$1" \
    -keyout "$lampone/$1.key" -out "$work/$1.csr" 2>/dev/null
  openssl x509 -req -in "$work/$1.csr" -CA "$work/authority.crt" -CAkey "$work/authority.key" \
    -CAcreateserial -days $DAYS -extfile <(echo "subjectAltName=DNS:$1") \
    -out "$lampone/$1.crt" 2>/dev/null
}

settings_of() { # of a transaction manager or validator
  cat <<END
lampone.tm.zookeeper.quorum=zk1:2181,zk2:2181,zk3:2181
lampone.tm.zookeeper.acl=digest
lampone.tm.zookeeper.acl.digest.file=$INSIDE/zookeeper.digest
lampone.tm.advertised.host=$1
lampone.tm.security.authentication=secret
lampone.tm.security.principals.file=$INSIDE/principals
lampone.tm.security.peer.principal=tm
lampone.tm.security.peer.secret.file=$INSIDE/tm.secret
lampone.tm.security.cluster.key.file=$INSIDE/cluster.key
lampone.tm.security.tls.certificate.file=$INSIDE/$1.crt
lampone.tm.security.tls.key.file=$INSIDE/$1.key
lampone.tm.security.tls.authority.file=$INSIDE/authority.crt
lampone.tm.http.token.file=$INSIDE/http.token
END
}

property() {
  printf '  <property><name>%s</name><value>%s</value></property>\n' "$1" "$2"
}

site_of() { # of a client, by the name of its principal; further lines come from standard input
  sed '/<\/configuration>/d' "$here/conf/cluster/hbase-site.xml"
  property lampone.client.manager.principal "$1"
  property lampone.client.manager.secret.file "$INSIDE/$1.secret"
  property lampone.client.manager.tls true
  property lampone.client.manager.tls.authority.file "$INSIDE/authority.crt"
  cat
  echo '</configuration>'
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
lampone=$work/secrets/lampone
hbase=$work/secrets/hbase
mkdir -p "$lampone" "$hbase"

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days $DAYS \
  -subj '/CN=Lampone authority' -keyout "$work/authority.key" -out "$work/authority.crt" 2>/dev/null
for name in tm regions admin; do
  random >"$work/$name.secret"
done
{
  echo "tm       administrator         *  $(<"$work/tm.secret")"
  echo "regions  region                *  $(<"$work/regions.secret")"
  echo "admin    client,administrator  *  $(<"$work/admin.secret")"
} >"$lampone/principals"
openssl rand -hex 32 >"$work/cluster.key"
echo "lampone:$(random)" >"$lampone/zookeeper.digest"
random >"$lampone/http.token"
for host in tm1 tm2 v1 v2 v3; do
  certificate "$host"
  settings_of "$host" >"$lampone/$host.properties"
done
cp "$work"/{authority.crt,tm.secret,admin.secret,cluster.key} "$lampone/"
cp "$work"/{authority.crt,regions.secret,cluster.key} "$hbase/"
# Signs further certificates; not mounted anywhere. Keep it elsewhere.
cp "$work/authority.key" "$work/secrets/"
site_of admin </dev/null >"$lampone/hbase-site.xml"
property lampone.region.cluster.key.file "$INSIDE/cluster.key" | site_of regions \
  >"$hbase/hbase-site.xml"

if [[ $(id -u) == 0 ]]; then
  chown -R 10001:10001 "$lampone"
  chown -R 10002:10002 "$hbase"
  chmod 755 "$work/secrets"
fi
mv "$work/secrets" "$folder"
[[ $(id -u) == 0 ]] || cat >&2 <<END
docker/secrets.sh: not run as root. Let the containers read the files:
  sudo chown -R 10001:10001 $folder/lampone
  sudo chown -R 10002:10002 $folder/hbase
  chmod 755 $folder
END
