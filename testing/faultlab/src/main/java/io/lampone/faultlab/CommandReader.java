package io.lampone.faultlab;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Reader of the commands of a lab, line by line. The input ends when no more work is requested or
 * the sender has died; an end during work is noticed at once.
 */
final class CommandReader {

  private final InputStream source;
  private final Runnable orphaned;
  private final LinkedBlockingQueue<Optional<String>> lines = new LinkedBlockingQueue<>();

  /** True if work is in progress that its sender may have abandoned. The start of a lab counts. */
  private final AtomicBoolean busy = new AtomicBoolean(true);

  private CommandReader(InputStream source, Runnable orphaned) {
    this.source = source;
    this.orphaned = orphaned;
  }

  /**
   * Starts to read.
   *
   * @param orphaned called on another thread if the end comes before {@link #done}
   */
  static CommandReader listen(InputStream source, Runnable orphaned) {
    CommandReader orders = new CommandReader(source, orphaned);
    Thread thread = new Thread(orders::read, "orders");
    thread.setDaemon(true);
    thread.start();
    return orders;
  }

  /** The next line; empty at the end. */
  Optional<String> next() throws InterruptedException {
    Optional<String> line = lines.take();
    busy.set(line.isPresent());
    return line;
  }

  /** Marks the work as done; to be called before the result is published. */
  void done() {
    busy.set(false);
  }

  private void read() {
    try (BufferedReader reader =
        new BufferedReader(new InputStreamReader(source, StandardCharsets.UTF_8))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        lines.add(Optional.of(line));
      }
    } catch (IOException e) {
      System.err.println("the lab does not answer any more: " + e);
    }
    lines.add(Optional.empty());
    if (busy.get()) {
      orphaned.run();
    }
  }
}
