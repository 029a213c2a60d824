package io.lampone.faultlab;

import io.lampone.faultlab.event.EventCounts;
import io.lampone.faultlab.work.client.ClientMain;
import io.lampone.faultlab.work.client.ClientPlan;
import io.lampone.faultlab.work.client.ClientStatus;
import io.lampone.protocol.time.Clock;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Client in a separate process, as seen from the lab; it works in one round after the other. */
final class ClientProcess {

  private final Process process;
  private final Clock clock;
  private final Path log;

  /** Events since its start; written by the thread that reads its output. */
  private volatile EventCounts events = EventCounts.NONE;

  /** Replaced at the beginning of each round, before the client receives it. */
  private volatile Turn round;

  private ClientProcess(Process process, Clock clock, Path log, Turn first) {
    this.process = process;
    this.clock = clock;
    this.log = log;
    this.round = first;
  }

  /** State of one round. */
  private static final class Turn {

    private final long beganNanos;
    private final EventCounts eventsBefore;
    private final CompletableFuture<Long> ready = new CompletableFuture<>();
    private final CompletableFuture<Boolean> done = new CompletableFuture<>();

    /** Latest status; written by the thread that reads the output of the client. */
    private volatile ClientStatus status = ClientStatus.NONE;

    private Turn(long beganNanos, EventCounts eventsBefore) {
      this.beganNanos = beganNanos;
      this.eventsBefore = eventsBefore;
    }

    private void fail(IOException cause) {
      ready.completeExceptionally(cause);
      done.completeExceptionally(cause);
    }
  }

  /**
   * Starts a client with this process's Java and class path, and its first round.
   *
   * @param prefix placed before its command
   * @param logging a Java option that configures its log
   */
  static ClientProcess start(
      ClientPlan plan, List<String> prefix, String logging, Path log, Clock clock)
      throws IOException {
    List<String> command = new ArrayList<>(prefix);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.add("--add-opens=java.base/java.nio=ALL-UNNAMED");
    command.add(logging);
    command.add(ClientMain.class.getName());
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(Redirect.appendTo(log.toFile()));
    builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
    Turn first = new Turn(clock.monotonicNanos(), EventCounts.NONE);
    ClientProcess started = new ClientProcess(builder.start(), clock, log, first);
    Thread reader = new Thread(started::read, "client-" + plan.number());
    reader.setDaemon(true);
    reader.start();
    started.tell(round(plan));
    return started;
  }

  /** One more round; the one before must have ended. */
  void begin(ClientPlan plan) {
    round = new Turn(clock.monotonicNanos(), events);
    if (!process.isAlive()) {
      round.fail(new IOException("it has ended"));
    }
    tell(round(plan));
  }

  private static String round(ClientPlan plan) {
    return ClientMain.ROUND
        + ClientMain.SEPARATOR
        + String.join(ClientMain.SEPARATOR, plan.arguments());
  }

  /** Of this round. */
  ClientStatus status() {
    return round.status;
  }

  /** Returns the events of this round. */
  EventCounts events() {
    return events.since(round.eventsBefore);
  }

  /**
   * Waits until it is connected.
   *
   * @throws IOException if it ends or takes too long, or if its clock is not ours: then the times
   *     of several processes cannot be compared
   */
  void awaitReady(Duration bound) throws IOException, InterruptedException {
    Turn mine = round;
    long theirs;
    try {
      theirs = mine.ready.get(bound.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException("a client does not connect; " + LabLogs.last(log), e);
    }
    long now = clock.monotonicNanos();
    if (theirs - mine.beganNanos < 0 || now - theirs < 0) {
      throw new IOException(
          "the monotonic clock of this system is not one for all processes: histories of several"
              + " processes cannot be put together here, began="
              + mine.beganNanos
              + " theirs="
              + theirs
              + " now="
              + now);
    }
  }

  /** SIGSTOP, or SIGCONT. */
  void signal(boolean stop) throws IOException, InterruptedException {
    String name = stop ? "-STOP" : "-CONT";
    int exit = new ProcessBuilder("kill", name, Long.toString(process.pid())).start().waitFor();
    if (exit != 0) {
      throw new IOException("kill " + name + " of a client failed, pid=" + process.pid());
    }
  }

  /** SIGKILL; returns when it is dead. */
  void kill() throws InterruptedException {
    process.destroyForcibly();
    process.waitFor();
  }

  /** Returns true if the client can run another round. */
  boolean isAlive() {
    return process.isAlive();
  }

  /** Requests its stop; it finishes the work under way. */
  void askToStop() {
    tell(ClientMain.STOP);
  }

  private void tell(String line) {
    try {
      process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
      process.getOutputStream().flush();
    } catch (IOException ignored) {
      // It is dead already; the reading thread reports that to the waiting ones.
    }
  }

  /**
   * Returns true if the round ends within the time; otherwise reports the state of the process and
   * kills it.
   */
  boolean awaitEnd(Duration bound) throws IOException, InterruptedException {
    try {
      return round.done.get(bound.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      new ProcessBuilder("kill", "-QUIT", Long.toString(process.pid())).start().waitFor();
      TimeUnit.SECONDS.sleep(1);
      kill();
      return false;
    }
  }

  private void read() {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      String line = lines.readLine();
      while (line != null) {
        hear(line);
        line = lines.readLine();
      }
      round.fail(new IOException("it has ended"));
    } catch (IOException e) {
      round.fail(e);
    }
  }

  private void hear(String line) throws IOException {
    if (line.startsWith(ClientMain.READY)) {
      round.ready.complete(Long.parseLong(line.substring(ClientMain.READY.length())));
    } else if (line.startsWith(ClientMain.STATUS)) {
      round.status = ClientStatus.parse(line.substring(ClientMain.STATUS.length()));
    } else if (line.startsWith(ClientMain.EVENTS)) {
      events = EventCounts.parse(line.substring(ClientMain.EVENTS.length()));
    } else if (line.equals(ClientMain.DONE)) {
      round.done.complete(true);
    } else {
      Files.writeString(log, line + "\n", StandardOpenOption.APPEND, StandardOpenOption.CREATE);
    }
  }
}
