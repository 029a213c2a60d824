package io.lampone.faultlab.fault;

import io.lampone.cluster.Hosts;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Library preloaded before the C library in each server: it disturbs the wall clock and the disk
 * while the server runs, and allows writes that a server had not synced to be removed when it has
 * been killed. Its source, {@code sabotage.c}, documents its functions and the file that it reads;
 * it is compiled into the folder of the lab.
 */
public final class LibcFaults implements Hosts {

  private static final String SOURCE = "sabotage.c";
  private static final String LIBRARY = "sabotage.so";
  private static final String COMPILER = "gcc";

  /** The numbers of the file that the library maps, by their place. */
  private static final int VERSION = 0;

  private static final int OFFSET = 1;
  private static final int DRIFT = 2;
  private static final int SINCE = 3;
  private static final int SYNC_DELAY = 4;
  private static final int WRITE_DELAY = 5;
  private static final int ROOM = 6;
  private static final int SPOILT = 7;
  private static final int FIELDS = 8;

  private static final long UNLIMITED = -1;

  private final Hosts hosts;
  private final Path folder;
  private final Path data;
  private final Map<String, MappedByteBuffer> states = new HashMap<>();

  private LibcFaults(Hosts hosts, Path folder, Path data) {
    this.hosts = hosts;
    this.folder = folder;
    this.data = data;
  }

  /** Returns why the library is not available here, with a remedy; empty if it is. */
  public static String problem() throws InterruptedException {
    try {
      SystemCommands.run(COMPILER, "--version");
      return "";
    } catch (IOException e) {
      return "a C compiler is needed (apt-get install gcc libc6-dev): " + e.getMessage();
    }
  }

  /**
   * Compiles the library; no fault is active yet.
   *
   * @param hosts of the servers
   * @param members names of the servers
   * @param folder of the library, and of the files that control it
   * @param data where each member has a folder; writes there can be removed
   */
  public static LibcFaults create(Hosts hosts, List<String> members, Path folder, Path data)
      throws IOException, InterruptedException {
    Path real = Files.createDirectories(folder).toRealPath();
    LibcFaults libcFaults = new LibcFaults(hosts, real, data);
    Path source = real.resolve(SOURCE);
    try (InputStream text = LibcFaults.class.getResourceAsStream(SOURCE)) {
      if (text == null) {
        throw new IOException("not in the jar, resource=" + SOURCE);
      }
      Files.copy(text, source);
    }
    SystemCommands.run(
        COMPILER,
        "-shared",
        "-fPIC",
        "-O2",
        "-o",
        real.resolve(LIBRARY).toString(),
        source.toString(),
        "-ldl",
        "-lpthread");
    for (String member : members) {
      Files.createDirectories(libcFaults.undo(member));
      libcFaults.states.put(member, map(libcFaults.state(member)));
    }
    return libcFaults;
  }

  private static MappedByteBuffer map(Path file) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      MappedByteBuffer state = channel.map(MapMode.READ_WRITE, 0, FIELDS * (long) Long.BYTES);
      state.order(ByteOrder.nativeOrder());
      put(state, ROOM, UNLIMITED);
      return state;
    }
  }

  private Path state(String member) {
    return folder.resolve(member + ".state");
  }

  private Path undo(String member) {
    return folder.resolve(member + ".undo");
  }

  @Override
  public String address(String member) {
    return hosts.address(member);
  }

  @Override
  public List<String> prefix(String member) {
    List<String> prefix = new ArrayList<>(hosts.prefix(member));
    prefix.add("env");
    prefix.add("LD_PRELOAD=" + folder.resolve(LIBRARY));
    prefix.add("LAMPONE_SABOTAGE=" + state(member));
    prefix.add("LAMPONE_UNDO=" + undo(member));
    prefix.add("LAMPONE_UNDO_OF=" + data.resolve(member));
    return prefix;
  }

  /**
   * The member's wall clock jumps, and drifts from there.
   *
   * @param driftMillionths of the time that passes from now on; 0 for none
   * @param nowNanos on the monotonic clock
   */
  void clock(String member, long offsetNanos, long driftMillionths, long nowNanos) {
    MappedByteBuffer state = of(member);
    // A concurrent reader sees an odd version, and reads again.
    put(state, VERSION, get(state, VERSION) + 1);
    VarHandle.fullFence();
    put(state, OFFSET, offsetNanos);
    put(state, DRIFT, driftMillionths);
    put(state, SINCE, nowNanos);
    VarHandle.fullFence();
    put(state, VERSION, get(state, VERSION) + 1);
  }

  /** The member's clock is right again. */
  void clockRight(String member) {
    clock(member, 0, 0, 0);
  }

  /** Delays each write to a file and each sync of one by so much; 0 for no delay. */
  void slowDisk(String member, long syncMicros, long writeMicros) {
    put(of(member), SYNC_DELAY, syncMicros);
    put(of(member), WRITE_DELAY, writeMicros);
  }

  /** The member can write so many bytes to files, and no more. */
  void fullDisk(String member, long roomBytes) {
    put(of(member), ROOM, roomBytes);
  }

  /** As many as it likes. */
  void emptyDisk(String member) {
    put(of(member), ROOM, UNLIMITED);
  }

  /**
   * Marks all writes of all members so far as synced, as after they have run for a while. ZooKeeper
   * never syncs its very first snapshot, and does not start again without it.
   */
  public void everythingIsWritten() throws IOException {
    for (String member : states.keySet()) {
      Unsynced.forget(undo(member));
    }
  }

  /** Returns the number of calls of the member that were refused or delayed so far. */
  long spoilt(String member) {
    return get(of(member), SPOILT);
  }

  /**
   * Removes the unsynced writes of a killed member below its folder.
   *
   * @param nowNanos on the monotonic clock
   * @return number of writes removed
   */
  int cutPower(String member, long nowNanos) throws IOException {
    return Unsynced.takeAway(undo(member), nowNanos);
  }

  private MappedByteBuffer of(String member) {
    MappedByteBuffer found = states.get(member);
    if (found == null) {
      throw new IllegalArgumentException("no such member, name=" + member);
    }
    return found;
  }

  private static void put(MappedByteBuffer state, int field, long value) {
    state.putLong(field * Long.BYTES, value);
  }

  private static long get(MappedByteBuffer state, int field) {
    return state.getLong(field * Long.BYTES);
  }
}
