package io.lampone.torture;

import io.lampone.protocol.time.Clock;
import io.lampone.torture.work.ClientMain;
import io.lampone.torture.work.ClientPlan;
import io.lampone.torture.work.ClientStatus;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
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

/** A client in a process of its own, seen from the lab. */
final class ClientProcess {

  private final Process process;
  private final Clock clock;
  private final long startedNanos;
  private final Path log;
  private final CompletableFuture<Long> ready = new CompletableFuture<>();

  /** What it said last; written by the thread that reads its lines. */
  private volatile ClientStatus status = ClientStatus.NONE;

  private ClientProcess(Process process, Clock clock, long startedNanos, Path log) {
    this.process = process;
    this.clock = clock;
    this.startedNanos = startedNanos;
    this.log = log;
  }

  /**
   * Starts one with this process's Java and class path.
   *
   * @param prefix what stands before its command
   * @param logging an option of Java that says what it logs
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
    command.addAll(plan.arguments());
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(Redirect.appendTo(log.toFile()));
    builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
    long now = clock.monotonicNanos();
    ClientProcess started = new ClientProcess(builder.start(), clock, now, log);
    Thread reader = new Thread(started::read, "client-" + plan.number());
    reader.setDaemon(true);
    reader.start();
    return started;
  }

  ClientStatus status() {
    return status;
  }

  /**
   * Waits until it is connected.
   *
   * @throws IOException if it ends or takes too long, or if its clock is not ours: then the times
   *     of several processes cannot be compared
   */
  void awaitReady(Duration bound) throws IOException, InterruptedException {
    long theirs;
    try {
      theirs = ready.get(bound.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException("a client does not connect; " + LabLogs.last(log), e);
    }
    long now = clock.monotonicNanos();
    if (theirs - startedNanos < 0 || now - theirs < 0) {
      throw new IOException(
          "the monotonic clock of this system is not one for all processes: histories of several"
              + " processes cannot be put together here, started="
              + startedNanos
              + " theirs="
              + theirs
              + " now="
              + now);
    }
  }

  /** SIGKILL; returns when it is dead. */
  void kill() throws InterruptedException {
    process.destroyForcibly();
    process.waitFor();
  }

  /** Lets it finish what it has begun. */
  void askToStop() {
    try {
      process.getOutputStream().write((ClientMain.STOP + "\n").getBytes(StandardCharsets.UTF_8));
      process.getOutputStream().flush();
    } catch (IOException ignored) {
      // It is dead already.
    }
  }

  /** Whether it has ended by itself before the time was up; if not, says where it stands. */
  boolean awaitEnd(Duration bound) throws IOException, InterruptedException {
    boolean ended = process.waitFor(bound.toMillis(), TimeUnit.MILLISECONDS);
    if (!ended) {
      new ProcessBuilder("kill", "-QUIT", Long.toString(process.pid())).start().waitFor();
      TimeUnit.SECONDS.sleep(1);
      kill();
    }
    return ended;
  }

  private void read() {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      String line = lines.readLine();
      while (line != null) {
        if (line.startsWith(ClientMain.READY)) {
          ready.complete(Long.parseLong(line.substring(ClientMain.READY.length())));
        } else if (line.startsWith(ClientMain.STATUS)) {
          status = ClientStatus.parse(line.substring(ClientMain.STATUS.length()));
        } else {
          Files.writeString(log, line + "\n", StandardOpenOption.APPEND, StandardOpenOption.CREATE);
        }
        line = lines.readLine();
      }
      ready.completeExceptionally(new IOException("it has ended"));
    } catch (IOException e) {
      ready.completeExceptionally(new UncheckedIOException(e));
    }
  }
}
