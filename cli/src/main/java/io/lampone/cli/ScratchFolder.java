package io.lampone.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Folder that is deleted on close.
 *
 * @param path its path
 */
public record ScratchFolder(Path path) implements AutoCloseable {

  public static ScratchFolder create(String prefix) throws IOException {
    return new ScratchFolder(Files.createTempDirectory(prefix));
  }

  @Override
  public void close() {
    try (Stream<Path> all = Files.walk(path)) {
      List<Path> deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
      for (Path file : deepestFirst) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot delete the folder, folder=" + path, e);
    }
  }
}
