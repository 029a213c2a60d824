package io.lampone.torture.fault;

import io.lampone.cluster.Hosts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The wall clocks of the servers, changed while they run by the library libfaketime; the monotonic
 * clock stays true, as it does on a machine whose time is set.
 */
public final class WallClocks implements Hosts {

  /** What is written for a clock that is right. */
  static final String RIGHT = "+0";

  private static final List<Path> LIBRARIES =
      List.of(
          Path.of("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1"),
          Path.of("/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1"),
          Path.of("/usr/lib64/faketime/libfaketime.so.1"),
          Path.of("/usr/lib/faketime/libfaketime.so.1"));

  private final Hosts hosts;
  private final Path library;
  private final Path folder;

  private WallClocks(Hosts hosts, Path library, Path folder) {
    this.hosts = hosts;
    this.library = library;
    this.folder = folder;
  }

  /** The library, if it is installed. */
  public static Optional<Path> library() {
    return LIBRARIES.stream().filter(Files::exists).findFirst();
  }

  /**
   * Right clocks.
   *
   * @param hosts where the servers are besides
   * @param folder where it is written down how wrong each clock is
   */
  public static WallClocks create(Hosts hosts, Path library, List<String> members, Path folder)
      throws IOException {
    Files.createDirectories(folder);
    WallClocks clocks = new WallClocks(hosts, library, folder);
    for (String member : members) {
      clocks.set(member, RIGHT);
    }
    return clocks;
  }

  /** From now on, or nearly so, the member's clock is as wrong as this says. */
  void set(String member, String offset) throws IOException {
    Path next = folder.resolve(member + ".next");
    Files.writeString(next, offset + "\n");
    Files.move(
        next,
        folder.resolve(member),
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
  }

  @Override
  public String address(String member) {
    return hosts.address(member);
  }

  @Override
  public List<String> prefix(String member) {
    List<String> prefix = new ArrayList<>(hosts.prefix(member));
    prefix.addAll(
        List.of(
            "env",
            "LD_PRELOAD=" + library,
            "FAKETIME_DONT_FAKE_MONOTONIC=1",
            "FAKETIME_CACHE_DURATION=1",
            "FAKETIME_TIMESTAMP_FILE=" + folder.resolve(member)));
    return prefix;
  }
}
