package io.lampone.protocol.tm;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.MalformedException;
import java.util.HashMap;
import java.util.Map;

/**
 * A live transaction manager process, primary or backup: the content of its ephemeral znode beside
 * the {@link ManagerRecord}. Text, one {@code key=value} a line; readers ignore unknown lines.
 *
 * @param holder the name of the process in the record
 * @param address {@code host:port} where it listens
 * @param sinceMillis start of the process by its wall clock, in ms since 1970
 * @param version version of its code
 * @param wallMillis its wall clock when this was written, in ms since 1970; 0 if not given
 */
public record Member(
    String holder, String address, long sinceMillis, String version, long wallMillis) {

  /** Name of the znode under the parent whose children are the members. */
  public static final String ZNODE = "members";

  /** Name of the znode under the parent whose children are the validator processes. */
  public static final String VALIDATORS_ZNODE = "validators";

  private static final String FORMAT = "1";

  /** Creates a member without its wall clock. */
  public Member(String holder, String address, long sinceMillis, String version) {
    this(holder, address, sinceMillis, version, 0);
  }

  /** Returns this member with the given wall clock. */
  public Member at(long millis) {
    return new Member(holder, address, sinceMillis, version, millis);
  }

  /** Encodes the content of the znode. */
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

  /** Returns the name of the znode: the holder without characters that a name must not have. */
  public String znode() {
    return holder.replace('/', '_');
  }

  /**
   * Decodes the output of {@link #encode}.
   *
   * @throws MalformedException if the bytes are not such content
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
