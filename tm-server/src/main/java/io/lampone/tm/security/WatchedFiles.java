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
 * Object made of files, and made anew when they change. {@link #refresh} is called by one thread,
 * {@link #current} by any: a file must not be read on the event loop, for it may lie on a disk that
 * hangs.
 *
 * <p>A failure keeps the previous object: a mistake while a file is edited locks no client out.
 *
 * @param <T> the type of the object
 */
public final class WatchedFiles<T> {

  /** Makes something of files. */
  public interface Loader<T> {

    /**
     * Reads the files.
     *
     * @throws IOException if one cannot be read
     * @throws IllegalArgumentException if one does not hold what it should
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
   * Why they could not be used the last time; empty if they could. Written by the refreshing
   * thread, read by any.
   */
  private volatile String problem = "";

  /** Written by the refreshing thread, read by any. */
  private volatile T current;

  /**
   * Reads the files for the first time.
   *
   * @throws IOException if one cannot be read
   * @throws IllegalArgumentException if one does not hold what it should
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

  /** Returns the object made last. */
  public T current() {
    return current;
  }

  /** Returns how often a changed file could not be used. */
  public int failures() {
    return failures.get();
  }

  /** Returns true if the object in force is older than the files, which cannot be used. */
  public boolean isOutdated() {
    return !problem.isEmpty();
  }

  /**
   * Reads the files again if they have changed since the last time, and says whether there is
   * something new. What cannot be used is logged once, and tried again each time: what is wrong may
   * be mended without a change of the file, as rights are.
   */
  public boolean refresh() {
    try {
      // Before reading: what changes meanwhile is read the next time.
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
