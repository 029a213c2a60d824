package io.lampone.benchmarks;

import io.lampone.benchmarks.load.ProcessCpu;
import io.lampone.benchmarks.report.Fields;
import io.lampone.tm.TransactionManagerJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * JVM started by a benchmark. It prints one line when it is ready and one for each line of its
 * standard input, and exits at the end of the input, so that it does not outlive the benchmark.
 */
public final class ChildProcess implements AutoCloseable {

  /**
   * Property with further JVM options, separated by spaces. With {@link #FOR_SHORT_RUNS}, tests
   * that ignore the figures halve the cost of a start.
   */
  public static final String JVM_OPTIONS = "lampone.benchmarks.jvm.options";

  /** Compiles fast, and not well. */
  public static final String FOR_SHORT_RUNS = "-XX:TieredStopAtLevel=1";

  /** Property of logback.xml. A child warns of nothing unless its parent does. */
  private static final String LOG_LEVEL = "lampone.log.level";

  private static final Duration START_PATIENCE = Duration.ofMinutes(5);
  private static final Duration END_PATIENCE = Duration.ofSeconds(5);

  /** Last line that the reader puts into the queue. */
  private static final String END = "";

  private final String name;
  private final Process process;
  private final Writer toChild;
  private final BlockingQueue<String> fromChild = new LinkedBlockingQueue<>();
  private final Fields ready;

  /**
   * Program to start.
   *
   * @param name for messages
   * @param classPath its class path
   * @param main the class with the main method
   * @param heapMegabytes size of its heap, which neither grows nor shrinks
   * @param arguments of the main method
   */
  public record Program(
      String name, String classPath, String main, int heapMegabytes, List<String> arguments) {}

  private ChildProcess(Program program, List<String> options, List<String> prefix)
      throws IOException {
    name = program.name();
    process =
        new ProcessBuilder(command(program, options, prefix))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    // A stopped process does not notice the end of its parent; the hook kills it.
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
    toChild = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
    Thread reader = new Thread(this::read, "output of " + name);
    reader.setDaemon(true);
    reader.start();
    try {
      ready = next(START_PATIENCE);
    } catch (IOException | RuntimeException e) {
      process.destroyForcibly();
      throw e;
    }
  }

  /** Starts a server, with huge pages where available, and waits until it is ready. */
  public static ChildProcess startServer(Program program, Cores cores) throws IOException {
    return new ChildProcess(program, TransactionManagerJvm.hugePages(), cores.onServerCore());
  }

  /** Starts a load generator and waits until it is ready. */
  public static ChildProcess startLoad(Program program, Cores cores) throws IOException {
    return new ChildProcess(program, List.of(), cores.onLoadCore());
  }

  /** Returns the process id. */
  public long pid() {
    return process.pid();
  }

  /** Returns the line that the process sent when it was ready. */
  public Fields ready() {
    return ready;
  }

  /** Sends a line and waits for the answer. */
  public Fields ask(Fields line, Duration patience) throws IOException {
    toChild.write(line + "\n");
    toChild.flush();
    return next(patience);
  }

  /** Time on the processor since it was started, in all its threads, user and system. */
  public long cpuNanos() throws IOException {
    return ProcessCpu.nanos(pid())
        .orElseThrow(() -> new IOException("no processor time, process=" + name));
  }

  /** Stops its clock: it gets no time on the processor until it is resumed. */
  public void suspend() throws IOException {
    signal("-STOP");
  }

  /** Resumes the stopped process. */
  public void resume() throws IOException {
    signal("-CONT");
  }

  /** Ends it, by force if it does not end by itself. */
  @Override
  public void close() {
    try {
      resume();
      toChild.close();
      if (!process.waitFor(END_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly().waitFor(); // else it might still write into folders
      }
    } catch (IOException e) {
      process.destroyForcibly();
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }

  private static List<String> command(Program program, List<String> options, List<String> prefix) {
    List<String> command = new ArrayList<>(prefix);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xms" + program.heapMegabytes() + "m");
    command.add("-Xmx" + program.heapMegabytes() + "m");
    command.add("-XX:+UseSerialGC");
    command.add("-XX:-UsePerfData");
    // HBase compares and copies bytes faster with access to java.nio.
    command.add("--add-opens=java.base/java.nio=ALL-UNNAMED");
    command.add("-D" + LOG_LEVEL + "=" + System.getProperty(LOG_LEVEL, "ERROR"));
    command.addAll(options);
    for (String option : System.getProperty(JVM_OPTIONS, "").split(" ", -1)) {
      if (!option.isBlank()) {
        command.add(option);
      }
    }
    command.add("-cp");
    command.add(program.classPath());
    command.add(program.main());
    command.addAll(program.arguments());
    return command;
  }

  private Fields next(Duration patience) throws IOException {
    String line;
    try {
      line = fromChild.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while waiting for a process, name=" + name, e);
    }
    if (line == null) {
      throw new IOException("a process does not answer, name=" + name + " after=" + patience);
    }
    if (line.equals(END)) {
      fromChild.add(END);
      throw new IOException(
          "a process has ended; its messages are on the error stream, name=" + name);
    }
    return Fields.parse(line);
  }

  private void read() {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (!line.isBlank()) {
          fromChild.add(line);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("output of a process, name=" + name, e);
    } finally {
      fromChild.add(END);
    }
  }

  private void signal(String signal) throws IOException {
    Process kill = new ProcessBuilder("kill", signal, Long.toString(process.pid())).start();
    try {
      kill.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
