package io.lampone.tm.security;

import io.lampone.protocol.connect.SecurityFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An object created from files, and again when they change. {@link #refresh} is called by one
 * thread, {@link #current} by any: files must not be read on the event loop, because their disk may
 * hang.
 *
 * <p>After a failure the previous object stays in force: a mistake in a file locks no client out.
 *
 * @param <T> the type of the object
 */
public final class WatchedFiles<T> {

  /** Creates an object from files. */
  public interface Loader<T> {

    /**
     * Reads the files.
     *
     * @throws IOException if one cannot be read
     * @throws IllegalArgumentException if one does not have the expected content
     */
    T load() throws IOException;
  }

  private static final Logger LOG = LoggerFactory.getLogger(WatchedFiles.class);

  private final List<Path> files;
  private final Loader<T> loader;
  private final AtomicInteger failures = new AtomicInteger();

  /** State of the files before they were last read; written by the refreshing thread only. */
  private List<Object> stamp;

  /**
   * Reason why the files were unusable the last time; empty if they were usable. Written by the
   * refreshing thread, read by any.
   */
  private volatile String problem = "";

  /** Written by the refreshing thread, read by any. */
  private volatile T current;

  /**
   * Reads the files for the first time.
   *
   * @throws IOException if one cannot be read
   * @throws IllegalArgumentException if one does not have the expected content
   */
  public WatchedFiles(List<Path> files, Loader<T> loader) throws IOException {
    this.files = List.copyOf(files);
    this.loader = loader;
    this.stamp = stampOf(this.files);
    this.current = loader.load();
  }

  /**
   * Creates an object from the lines of a text file by {@code parse}.
   *
   * @throws IOException if it cannot be read
   * @throws IllegalArgumentException if its content is invalid; names the file
   */
  public static <T> WatchedFiles<T> ofLines(Path file, Function<List<String>, T> parse)
      throws IOException {
    return new WatchedFiles<>(
        List.of(file),
        () -> {
          try {
            return parse.apply(SecurityFiles.lines(file));
          } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(e.getMessage() + ", file=" + file, e);
          }
        });
  }

  /** Returns the current object. */
  public T current() {
    return current;
  }

  /** Returns how often a changed file was unusable. */
  public int failures() {
    return failures.get();
  }

  /** Returns true if the object in force is older than the files, which are unusable. */
  public boolean isOutdated() {
    return !problem.isEmpty();
  }

  /**
   * Reads the files again if they have changed; returns true if there is a new object. A failure is
   * logged once and retried each time, because the cause may vanish without a change of the file,
   * e.g. missing permissions.
   */
  public boolean refresh() {
    try {
      // Before reading: a change meanwhile is then read the next time.
      List<Object> now = stampOf(files);
      if (now.equals(stamp) && problem.isEmpty()) {
        return false;
      }
      current = loader.load();
      stamp = now;
      problem = "";
      LOG.info("read again what has changed, files={}", files);
      return true;
    } catch (IOException | IllegalArgumentException e) {
      String cause = String.valueOf(e.getMessage());
      if (!cause.equals(problem)) {
        problem = cause;
        failures.incrementAndGet();
        LOG.error(
            "a changed file cannot be used, what was read before stays in force, files={} cause={}",
            files,
            cause);
      }
      return false;
    }
  }

  private static List<Object> stampOf(List<Path> files) throws IOException {
    List<Object> stamps = new ArrayList<>(files.size());
    for (Path file : files) {
      if (Files.exists(file)) {
        BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
        stamps.add(
            List.of(
                attributes.lastModifiedTime(),
                attributes.size(),
                String.valueOf(attributes.fileKey())));
      } else {
        stamps.add("absent");
      }
    }
    return stamps;
  }
}
