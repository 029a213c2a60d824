package io.lampone.protocol.tm;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.MalformedException;
import java.util.HashMap;
import java.util.Map;

/**
 * A transaction manager process that is alive, primary or backup: what its ephemeral znode beside
 * the {@link ManagerRecord} holds. Text, one {@code key=value} a line; readers ignore lines that
 * they do not know.
 *
 * @param holder the name that the process goes by in the record
 * @param address {@code host:port} where it listens
 * @param sinceMillis when it was started, by its wall clock
 * @param version of its code
 * @param wallMillis what its wall clock said when this was written, in ms since 1970; 0 if it does
 *     not say
 */
public record Member(
    String holder, String address, long sinceMillis, String version, long wallMillis) {

  /** Name of the znode under the parent whose children are the members. */
  public static final String ZNODE = "members";

  private static final String FORMAT = "1";

  /** One that does not say what its clock shows. */
  public Member(String holder, String address, long sinceMillis, String version) {
    this(holder, address, sinceMillis, version, 0);
  }

  /** The same with what the wall clock says. */
  public Member at(long millis) {
    return new Member(holder, address, sinceMillis, version, millis);
  }

  /** The bytes of the znode. */
  public byte[] encode() {
    String text =
        "format="
            + FORMAT
            + "\nholder="
            + holder
            + "\naddress="
            + address
            + "\nsinceMillis="
            + sinceMillis
            + "\nversion="
            + version
            + (wallMillis == 0 ? "" : "\nwallMillis=" + wallMillis)
            + "\n";
    return Bytes.utf8(text).toArray();
  }

  /** Name of the znode: the holder without what a name must not have. */
  public String znode() {
    return holder.replace('/', '_');
  }

  /**
   * Reads what {@link #encode} wrote.
   *
   * @throws MalformedException if the bytes are no such thing
   */
  public static Member decode(byte[] array) {
    Map<String, String> values = new HashMap<>();
    for (String line : Bytes.of(array).toUtf8().split("\n", -1)) {
      int equals = line.indexOf('=');
      if (equals > 0) {
        values.put(line.substring(0, equals), line.substring(equals + 1));
      }
    }
    if (!FORMAT.equals(values.get("format"))) {
      throw new MalformedException(
          "unknown format of a member's znode, format=" + values.get("format"));
    }
    try {
      return new Member(
          values.getOrDefault("holder", ""),
          values.getOrDefault("address", ""),
          Long.parseLong(values.getOrDefault("sinceMillis", "")),
          values.getOrDefault("version", ""),
          Long.parseLong(values.getOrDefault("wallMillis", "0")));
    } catch (NumberFormatException e) {
      throw new MalformedException("unreadable znode of a member", e);
    }
  }
}
