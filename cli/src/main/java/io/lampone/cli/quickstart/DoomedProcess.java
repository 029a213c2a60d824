package io.lampone.cli.quickstart;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Process to be killed, as seen by its parent. */
public final class DoomedProcess implements AutoCloseable {

  private static final Duration DEATH_TIMEOUT = Duration.ofSeconds(10);

  /** Options of this JVM that the other one needs too: access, and the archive of classes. */
  private static final List<String> INHERITED =
      List.of("--add-opens", "--add-exports", "-XX:SharedArchiveFile", "-Xlog:");

  private final Process process;
  private final Path log;

  private DoomedProcess(Process process, Path log) {
    this.process = process;
    this.log = log;
  }

  /** Starts a {@link DoomedClient}. */
  static DoomedProcess start(Path site, Path log, List<String> arguments) throws IOException {
    return start(DoomedClient.class, site, log, arguments);
  }

  /**
   * Starts a client with this process's Java and class path.
   *
   * @param client main class, which accepts the option {@code --config FILE}
   * @param site hbase-site.xml of the cluster
   * @param log file of its log
   * @param arguments further arguments
   */
  public static DoomedProcess start(Class<?> client, Path site, Path log, List<String> arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    for (String given : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
      if (INHERITED.stream().anyMatch(given::startsWith)) {
        command.add(given);
      }
    }
    // A small JVM that starts fast: it lives for seconds.
    command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.add(client.getName());
    command.addAll(List.of("--config", site.toAbsolutePath().toString()));
    command.addAll(arguments);
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(Redirect.appendTo(log.toFile()));
    // In the environment: a class path of a hundred jars makes a long command line.
    builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
    return new DoomedProcess(builder.start(), log);
  }

  /**
   * Waits for a line with this prefix; returns the rest of the line.
   *
   * @throws IOException if the process ends, or prints no such line in time
   */
  public String await(String prefix, Duration bound) throws IOException, InterruptedException {
    CompletableFuture<String> line = CompletableFuture.supplyAsync(() -> firstLine(prefix));
    try {
      return line.get(bound.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException(
          "the second client did not get as far as '" + prefix.strip() + "', log=" + log, e);
    }
  }

  /** SIGKILL; returns when it is dead. */
  public void kill() throws IOException, InterruptedException {
    process.destroyForcibly();
    if (!process.waitFor(DEATH_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new IOException("the second client does not die, pid=" + process.pid());
    }
  }

  /** The number of the process. */
  public long pid() {
    return process.pid();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }

  private String firstLine(String prefix) {
    try {
      BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
      String line = lines.readLine();
      while (line != null) {
        if (line.startsWith(prefix)) {
          return line.substring(prefix.length());
        }
        line = lines.readLine();
      }
      throw new IllegalStateException("it has ended");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
