"""Three machines of PostgreSQL under Patroni, as docs/postgres.md describes them, and three of etcd."""
import json
import pathlib
import re
import time
import urllib.request

from machines import Machine

def settings_of_the_page():
    """Patroni's settings of the whole cluster, as docs/postgres.md has them."""
    text = (pathlib.Path(__file__).parents[2] / "docs/postgres.md").read_text()
    return re.search(r"```yaml\n(bootstrap:\n.*?)```", text, re.S).group(1)


def newest_programs():
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[4]))
    if not found:
        raise SystemExit("PostgreSQL's server is not installed")
    return found[-1].parent


class Cluster:
    def __init__(self, folder):
        self.keepers = [Machine(f"etcd{number}", 10 + number, folder) for number in (1, 2, 3)]
        self.machines = [Machine(f"db{number}", number, folder) for number in (1, 2, 3)]
        for keeper in self.keepers:
            self.start_etcd(keeper)
        for machine in self.machines:
            own = "".join(f"{key}: {json.dumps(value)}\n" for key, value in self.settings_of(machine).items())
            (machine.folder / "patroni.yml").write_text(settings_of_the_page() + own)
            self.start(machine)

    def settings_of(self, machine):
        """Patroni's own of a machine."""
        peers = machine.address("peers")
        return {
            "scope": "team", "name": machine.name,
            "etcd3": {"hosts": [f"{each.address('peers')}:2379" for each in self.keepers]},
            "restapi": {"listen": f"{peers}:8008", "connect_address": f"{peers}:8008"},
            "postgresql": {
                "listen": "0.0.0.0:5432", "connect_address": f"{peers}:5432",
                "data_dir": str(machine.folder / "data"), "bin_dir": str(newest_programs()),
                "pgpass": str(machine.folder / "pgpass"),
                "authentication": {"superuser": {"username": "postgres"}, "replication": {"username": "replicator"}},
                "parameters": {"unix_socket_directories": str(machine.folder)},
                "pg_hba": [f"host {databases} all {network} trust" for databases in ("all", "replication")
                           for network in ("127.0.0.1/32", "10.77.0.0/16")],
            },
        }

    def start(self, machine):
        """Starts a server, or starts it again after kill()."""
        machine.start("patroni", "patroni", str(machine.folder / "patroni.yml"))

    def start_etcd(self, keeper):
        peers = keeper.address("peers")
        keeper.start("etcd", "etcd", "--name", keeper.name, "--data-dir", str(keeper.folder / "etcd"),
                     "--listen-client-urls", f"http://{peers}:2379", "--advertise-client-urls", f"http://{peers}:2379",
                     "--listen-peer-urls", f"http://{peers}:2380", "--initial-advertise-peer-urls", f"http://{peers}:2380",
                     "--initial-cluster", ",".join(f"{each.name}=http://{each.address('peers')}:2380" for each in self.keepers))

    def stop(self):
        for machine in (*self.machines, *self.keepers):
            machine.kill()

    def address(self, store):
        hosts = ",".join(f"{machine.address('clients')}:5432" for machine in self.machines)
        return f"postgres://postgres@{hosts}/postgres?store={store}&target_session_attrs=read-write&connect_timeout=1"

    def members(self, machine):
        """Returns the members that run, by name, as the Patroni of a machine sees them; {} if it does not answer."""
        try:
            with urllib.request.urlopen(f"http://{machine.address('peers')}:8008/cluster", timeout=1) as answer:
                members = json.load(answer)["members"]
        except (OSError, ValueError):
            return {}
        return {each["name"]: each for each in members if each["state"] in ("running", "streaming")}

    def wait_until_whole(self):
        """Waits for a primary, its synchronous standby and another standby, all on one timeline, and until all three agree
        on that. Returns the first."""
        def primary():
            seen = [{(each["name"], each["role"], each.get("timeline")) for each in self.members(machine).values()}
                    for machine in self.machines]
            roles = {role: name for name, role, _ in seen[0]}
            is_whole = len(roles) == len(seen[0]) == 3 and len({timeline for *_, timeline in seen[0]}) == 1
            return is_whole and seen.count(seen[0]) == 3 and self.machine(roles["leader"])
        try:
            return self.wait(primary, "three machines that agree", 60)
        except AssertionError:  # Patroni 3.0.2 sometimes hangs while it starts its server.
            there = self.members(next(machine for machine in self.machines if self.members(machine)))
            for machine in self.machines:
                if machine.name not in there:
                    print(f"  {machine.name} does not come back, and is started again", flush=True)
                    machine.kill()
                    self.start(machine)
            return self.wait(primary, "three machines that agree")

    def machine(self, name):
        return next(machine for machine in self.machines if machine.name == name)

    def wait_for_another_primary(self, than):
        others = [machine for machine in self.machines if machine is not than]
        self.wait(lambda: any(member["role"] == "leader" and name != than.name
                              for machine in others for name, member in self.members(machine).items()), "another primary")

    def wait(self, is_so, what, seconds=120):
        """Returns what `is_so` returns when that is true."""
        end = time.monotonic() + seconds
        while not (found := is_so()):
            if time.monotonic() > end:
                raise AssertionError(f"{what}: not in {seconds} s: {[self.members(machine) for machine in self.machines]}")
            time.sleep(0.2)
        return found
