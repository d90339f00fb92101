"""Tasks on other machines: through Dask distributed, with the scheduler and workers of the user.

A task is a game or a test position. Dask starts it again elsewhere when its worker dies; results
come back as they are ready, and only a few tasks more than there are hands are handed out, so that
stopping has little to cancel.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import queue
import secrets
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any, Generic

from uci_engine import __version__
from uci_engine.arena.play.notices import Hearer, Notice
from uci_engine.arena.play.runner import Job, Result, Station, Task, TaskCancelled
from uci_engine.arena.players.process import EngineError
from uci_engine.arena.players.seats import make_player
from uci_engine.arena.players.spec import EngineSpec
from uci_engine.errors import lacking
from uci_engine.interrupts import DELAY_S

Client = Any  # distributed.Client
Future = Any  # distributed.Future

LOCAL = "local"
CONNECT_SECONDS = 5
RETRIES = 3  # of Dask's, when a task fails on a worker
SECOND_CHANCES = 10  # of ours, when a task's workers have died too often for Dask
LOOK_EVERY = 1.0  # seconds
AHEAD = 1.5  # tasks handed out per hand that could play one


class WorkerRoom:
    """What a worker process keeps of one run: stations that are free, and whether to stop."""

    def __init__(self) -> None:
        self.free: list[Station[Any, Any]] = []
        self.busy: list[Station[Any, Any]] = []
        self.lock = threading.Lock()
        self.stopping = threading.Event()

    def take(self, job: Job[Any, Any]) -> Station[Any, Any]:
        with self.lock:
            station = self.free.pop() if self.free else job.station()
            self.busy.append(station)
            return station

    def give_back(self, station: Station[Any, Any]) -> None:
        with self.lock:
            self.busy.remove(station)
            if not self.stopping.is_set():
                self.free.append(station)
                return
        station.close()

    def close(self) -> None:
        self.stopping.set()
        with self.lock:
            for station in self.busy:
                station.kill()
            free, self.free = self.free, []
        for station in free:
            station.close()


ROOMS: dict[str, WorkerRoom] = {}
ROOMS_LOCK = threading.Lock()


def room_of(run: str) -> WorkerRoom:
    with ROOMS_LOCK:
        return ROOMS.setdefault(run, WorkerRoom())


def do_task(run: str, job: Job[Any, Any], task: Any) -> tuple[list[Notice], Any]:
    """On a worker. The engines stay for the next task of the same run."""
    room = room_of(run)
    if room.stopping.is_set():
        raise TaskCancelled
    station = room.take(job)
    try:
        notices: list[Notice] = []
        return notices, station.do(task, room.stopping.is_set, notices.append)
    finally:
        room.give_back(station)


def close_room(run: str) -> None:
    """On every worker, when the run is over. What is still running there is broken off."""
    room_of(run).close()


def check_worker(specs: tuple[EngineSpec, ...], version: str) -> str:
    """On every worker, before the first task: what is wrong there, or nothing."""
    if version != __version__:
        return f"it has version {__version__} of cythera, not {version}"
    for spec in specs:
        player = make_player(spec)
        try:
            player.start()
        except EngineError as error:
            return f"{spec.name}: {error.kind}: {error.detail}"
        finally:
            player.close()
    return ""


def ignore_interrupts() -> None:
    """On workers of our own: Ctrl-C reaches them too, but it is for the runner to end them."""
    with contextlib.suppress(ValueError):  # not the main thread there
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def load_dask() -> Any:
    """The optional package; its types are not checked, since it may not be there."""
    try:
        return importlib.import_module("distributed")
    except ImportError:
        raise lacking("--cluster", "distributed", "cluster") from None


def connect(address: str, concurrency: int) -> Client:
    """A client of the scheduler at the address, or of one that is started here."""
    dask = load_dask()
    # Its own log would run into the live table; what matters comes as an exception.
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    if address == LOCAL:
        cluster = dask.LocalCluster(
            n_workers=concurrency,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
            silence_logs=logging.CRITICAL,
        )
        client = dask.Client(cluster)
        client.run(ignore_interrupts)
        return client
    try:
        return dask.Client(address, timeout=CONNECT_SECONDS)
    except (OSError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ValueError(f"--cluster {address}: no scheduler there: {reason}") from None


class ClusterRunner(Generic[Task, Result]):
    def __init__(self, client: Client, job: Job[Task, Result], check: Callable[[], object]) -> None:
        self.check = check  # raises what has interrupted us
        self.client = client
        self.job = job
        self.run_id = secrets.token_hex(8)
        self.tasks: Iterator[Task] = iter(())
        self.open: dict[Future, tuple[Task, int]] = {}  # with how often it was tried
        self.submitted = 0
        self.done: queue.SimpleQueue[Future] = queue.SimpleQueue()

    def check_workers(self, specs: tuple[EngineSpec, ...]) -> None:
        """All workers must be able to do the job."""
        try:
            self.client.wait_for_workers(1, timeout=CONNECT_SECONDS)
        except TimeoutError:
            raise ValueError("--cluster: the scheduler has no workers") from None
        try:
            answers = self.client.run(check_worker, specs, __version__)
        except Exception as error:  # whatever a worker could not do comes as it was raised there
            raise ValueError(f"--cluster: a worker can't run cythera: {error}") from None
        for worker, trouble in answers.items():
            if trouble:
                raise ValueError(f"worker {worker}: {trouble}")

    def hands(self) -> int:
        """How many tasks the workers of this moment can do at once."""
        threads: dict[str, int] = self.client.nthreads()
        return max(1, sum(threads.values()))

    def submit(self, task: Task, tried: int = 0) -> None:
        self.submitted += 1
        future = self.client.submit(
            do_task,
            self.run_id,
            self.job,
            task,
            key=f"arena-{self.run_id}-{self.submitted}",
            retries=RETRIES,
            pure=False,
        )
        self.open[future] = (task, tried)
        future.add_done_callback(self.done.put)

    def refill(self) -> None:
        wanted = int(self.hands() * AHEAD) + 1
        while len(self.open) < wanted and (task := next(self.tasks, None)) is not None:
            self.submit(task)

    def run(self, tasks: Iterator[Task], hear: Hearer) -> Iterator[Result]:
        """Each result once, as it comes."""
        self.tasks = tasks
        self.refill()
        while self.open:
            future = self.next_done()
            task, tried = self.open.pop(future)
            if future.status == "finished":
                notices, result = future.result()
                future.release()
                for notice in notices:
                    hear(notice)
                self.refill()
                yield result
                self.check()
            else:
                self.try_again(future, task, tried)

    def next_done(self) -> Future:
        """One that is not pending any more. A lost scheduler calls nobody back, so look now and
        then."""
        while True:
            for _ in range(round(LOOK_EVERY / DELAY_S)):
                self.check()
                with contextlib.suppress(queue.Empty):
                    future = self.done.get(timeout=DELAY_S)
                    if future in self.open:
                        return future
            for future in self.open:
                if future.status != "pending":
                    return future
            if self.client.status not in ("running", "connecting"):
                raise OSError("the scheduler of the cluster is gone")

    def try_again(self, future: Future, task: Task, tried: int) -> None:
        error = future.exception() if future.status == "error" else None
        if error is not None and not isinstance(error, load_dask().KilledWorker):
            raise error
        if tried >= SECOND_CHANCES:
            raise OSError(f"a task was lost {tried + 1} times with its worker; giving up")
        self.submit(task, tried + 1)

    def stop(self) -> None:
        """Cancel what is queued, break off what is running, and leave no engine behind."""
        with contextlib.suppress(Exception):  # the scheduler may be gone
            self.client.cancel(list(self.open), force=True)
            self.client.run(close_room, self.run_id)
        self.open.clear()
        cluster = self.client.cluster
        with contextlib.suppress(Exception):
            self.client.close()
            if cluster is not None:
                cluster.close()
