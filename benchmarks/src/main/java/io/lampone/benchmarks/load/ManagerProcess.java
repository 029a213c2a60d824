package io.lampone.benchmarks.load;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Handle of a transaction manager in a separate process. */
public final class ManagerProcess implements AutoCloseable {

  private static final Duration START_TIMEOUT = Duration.ofMinutes(3);
  private static final Duration DEATH_TIMEOUT = Duration.ofMinutes(1);
  private static final String LOOPBACK = "127.0.0.1";

  private final Process process;
  private final Path log;
  private final CompletableFuture<InetSocketAddress> listening = new CompletableFuture<>();
  private final CompletableFuture<Long> primary = new CompletableFuture<>();

  private ManagerProcess(Process process, Path log) {
    this.process = process;
    this.log = log;
  }

  /**
   * Starts a transaction manager with this process's Java and class path, on a free port of the
   * loopback interface, and waits until it listens.
   *
   * @param properties properties of the transaction manager, without its address
   * @param inMemory true to keep the record in memory instead of ZooKeeper
   * @param prefix prefix of the command, e.g. {@code taskset -c 0}
   * @param jvmOptions options of its JVM
   * @param log file of its standard error
   */
  public static ManagerProcess start(
      Map<String, String> properties,
      boolean inMemory,
      List<String> prefix,
      List<String> jvmOptions,
      Path log)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(prefix);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(jvmOptions);
    command.add(ManagerMain.class.getName());
    command.add("lampone.tm.bind.host=" + LOOPBACK);
    command.add("lampone.tm.bind.port=0");
    properties.forEach((name, value) -> command.add(name + "=" + value));
    if (inMemory) {
      command.add(ManagerMain.IN_MEMORY);
    }
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(Redirect.appendTo(log.toFile()));
    // In the environment: a class path of a hundred jars makes a long command line.
    builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
    ManagerProcess started = new ManagerProcess(builder.start(), log);
    Thread reader = new Thread(started::read, "manager-" + started.pid());
    reader.setDaemon(true);
    reader.start();
    try {
      await(started.listening, START_TIMEOUT, "it does not listen, log=" + log);
    } catch (IOException e) {
      started.close();
      throw e;
    }
    return started;
  }

  /** Returns the address that it listens on. */
  public InetSocketAddress address() {
    return listening.join();
  }

  /** Returns the process id. */
  public long pid() {
    return process.pid();
  }

  /** Waits until it is the primary; the epoch. */
  public long awaitPrimary(Duration bound) throws IOException, InterruptedException {
    return await(primary, bound, "it does not become the primary, log=" + log);
  }

  /** SIGKILL; returns when it is dead. */
  public void kill() throws IOException, InterruptedException {
    process.destroyForcibly();
    awaitEnd(DEATH_TIMEOUT);
  }

  /** Waits until the process has ended. */
  public void awaitEnd(Duration bound) throws IOException, InterruptedException {
    if (!process.waitFor(bound.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new IOException("the transaction manager does not end, pid=" + pid() + " log=" + log);
    }
  }

  /**
   * Sends a signal by its name.
   *
   * @throws IOException if there is no such command as {@code kill}, or it fails
   */
  public void signal(String name) throws IOException, InterruptedException {
    int exit = new ProcessBuilder("kill", "-" + name, Long.toString(pid())).start().waitFor();
    if (exit != 0) {
      throw new IOException("kill failed, signal=" + name + " pid=" + pid() + " exit=" + exit);
    }
  }

  /** Kills it, and does not wait. */
  @Override
  public void close() {
    process.destroyForcibly();
  }

  private void read() {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith(ManagerMain.LISTENING)) {
          String address = line.substring(ManagerMain.LISTENING.length());
          int colon = address.lastIndexOf(':');
          listening.complete(
              new InetSocketAddress(
                  address.substring(0, colon), Integer.parseInt(address.substring(colon + 1))));
        } else if (line.startsWith(ManagerMain.PRIMARY)) {
          primary.complete(Long.parseLong(line.substring(ManagerMain.PRIMARY.length())));
        }
      }
      IOException ended = new IOException("the transaction manager has ended, log=" + log);
      listening.completeExceptionally(ended);
      primary.completeExceptionally(ended);
    } catch (IOException e) {
      listening.completeExceptionally(new UncheckedIOException(e));
      primary.completeExceptionally(new UncheckedIOException(e));
    }
  }

  private static <T> T await(CompletableFuture<T> step, Duration bound, String problem)
      throws IOException, InterruptedException {
    try {
      return step.get(bound.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException("transaction manager failed: " + problem, e);
    }
  }
}
