package io.lampone.faultlab.fault;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A process with a disturbed clock and disk: executes commands from its standard input, and answers
 * each line with one line.
 */
final class SpoiltProcess {

  private static final long WAIT_MILLIS = 50;

  private SpoiltProcess() {}

  public static void main(String[] arguments) throws IOException, InterruptedException {
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      System.out.println(answer(line.split(" ", -1)));
      System.out.flush();
    }
  }

  private static String answer(String[] words) throws IOException, InterruptedException {
    return switch (words[0]) {
      case "clock" -> Long.toString(System.currentTimeMillis());
      case "wait" -> waited();
      case "write" -> write(words[1], Long.parseLong(words[2]), words[3]);
      case "sync" -> sync(words[1]);
      default -> throw new IllegalArgumentException(words[0]);
    };
  }

  /** How long a timed wait lasts, by the monotonic clock. */
  private static String waited() throws InterruptedException {
    long start = System.nanoTime();
    boolean counted = new CountDownLatch(1).await(WAIT_MILLIS, TimeUnit.MILLISECONDS);
    return counted ? "-1" : Long.toString(System.nanoTime() - start);
  }

  private static String write(String file, long offset, String text) {
    try (RandomAccessFile open = new RandomAccessFile(file, "rw")) {
      open.seek(offset);
      open.write(text.getBytes(StandardCharsets.UTF_8));
      return "written";
    } catch (IOException e) {
      return String.valueOf(e.getMessage());
    }
  }

  /** Returns the duration in nanoseconds. */
  private static String sync(String file) throws IOException {
    try (RandomAccessFile open = new RandomAccessFile(file, "rw")) {
      long start = System.nanoTime();
      open.getFD().sync();
      return Long.toString(System.nanoTime() - start);
    }
  }
}
