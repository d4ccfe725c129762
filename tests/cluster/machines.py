"""Machines of one computer: each has a network of its own with two cables, and what runs on it ends at once with it.

Needs Linux namespaces, so the caller is inside `enter()`.
"""
import contextlib
import os
import pathlib
import pwd
import signal
import subprocess
import sys

INSIDE = "SPOOR_CLUSTER_INSIDE"
NETWORKS = {"peers": "10.77.0", "clients": "10.77.1"}
HERE = 254  # The last number of this program's own addresses.


def enter():
    """Starts this program again, where it may make networks, and where all that it started ends with it."""
    if INSIDE in os.environ:
        return
    own_user = [] if os.getuid() == 0 else ["--user", "--map-current-user", "--keep-caps"]
    os.execvpe("unshare", ["unshare", *own_user, "--net", "--pid", "--fork", "--kill-child", "--mount-proc",
                           sys.executable, *sys.argv], {**os.environ, INSIDE: "1"})


def run(*words):
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)


def prepare():
    """Makes both networks, which this program is in, too, and room for shared memory that ends with it."""
    run("mount", "-t", "tmpfs", "-o", "mode=1777", "tmpfs", "/dev/shm")
    run("ip", "link", "set", "lo", "up")
    for name, prefix in NETWORKS.items():
        run("ip", "link", "add", name, "type", "bridge")
        run("ip", "address", "add", f"{prefix}.{HERE}/24", "dev", name)
        run("ip", "link", "set", name, "up")


class Machine:
    """A machine, whose programs run as an unprivileged user."""

    def __init__(self, name, number, folder):
        self.name, self.number = name, number
        self.folder = pathlib.Path(folder) / self.name
        self.folder.mkdir(mode=0o700)
        self.as_user = []
        if os.getuid() == 0:
            user = pwd.getpwnam("nobody")
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            self.as_user = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups", "--pdeathsig=KILL"]
        self.programs = []
        self.network = subprocess.Popen(["unshare", "--net", "sh", "-c", "echo; exec sleep infinity"], stdout=subprocess.PIPE,
                                        start_new_session=True)
        self.network.stdout.readline()
        self.inside("ip", "link", "set", "lo", "up")
        for name in NETWORKS:
            here = f"{self.name}-{name}"
            run("ip", "link", "add", here, "type", "veth", "peer", "name", name, "netns", str(self.network.pid))
            run("ip", "link", "set", here, "master", name, "up")
            self.inside("ip", "address", "add", f"{self.address(name)}/24", "dev", name)
            self.inside("ip", "link", "set", name, "up")

    def address(self, network):
        return f"{NETWORKS[network]}.{self.number}"

    def inside(self, *words):
        run("nsenter", "--net", f"--target={self.network.pid}", *words)

    def start(self, name, *words, environment=()):
        """Starts a program, whose output is in the file NAME.log. A shell waits for it, and for orphans."""
        with open(self.folder / f"{name}.log", "a") as log:
            self.programs.append(subprocess.Popen(
                ["nsenter", "--net", f"--target={self.network.pid}", "unshare", "--pid", "--fork", "--kill-child",
                 "--mount-proc", *self.as_user, "sh", "-c", '"$@"; exit', "sh", *words], cwd="/", stdin=subprocess.DEVNULL, stdout=log,
                stderr=subprocess.STDOUT, env={**os.environ, "HOME": str(self.folder), **dict(environment)},
                start_new_session=True))

    def query(self, statement):
        """Runs a statement on its server, as a client. Nothing happens if it does not answer."""
        subprocess.run(["psql", "-XAtq", f"postgres://postgres@{self.address('clients')}/postgres?connect_timeout=2", "-c",
                        statement], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)

    def kill(self):
        """Ends all its programs at once, and their children."""
        for program in self.programs:
            for child in pathlib.Path(f"/proc/{program.pid}/task/{program.pid}/children").read_text().split():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(child), signal.SIGKILL)
        for program in self.programs:
            program.wait()
        self.programs.clear()

    def pull(self, *networks):
        """Pulls its cables."""
        for name in networks:
            run("ip", "link", "set", f"{self.name}-{name}", "down")

    def plug(self):
        """Plugs them all in again."""
        for name in NETWORKS:
            run("ip", "link", "set", f"{self.name}-{name}", "up")
