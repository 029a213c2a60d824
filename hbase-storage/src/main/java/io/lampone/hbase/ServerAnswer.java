package io.lampone.hbase;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.Compatibility;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.time.Clock;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apache.hadoop.hbase.util.VersionInfo;

/**
 * Answer of a region server to a {@link ServerProbe}: the version of our code there. The message of
 * an exception carries it, so it has a text form: {@code [lampone-server KEY=BASE64 ...]}; readers
 * ignore unknown keys.
 *
 * @param version of the coprocessor's jar
 * @param oldestRequests the oldest version of requests that it reads
 * @param requests the newest one
 * @param hbaseVersion the server's HBase
 * @param javaVersion the version of the server's Java
 * @param wallMillis the server's wall clock
 * @param observer why the observer cannot be loaded; empty if it can
 */
public record ServerAnswer(
    String version,
    int oldestRequests,
    int requests,
    String hbaseVersion,
    String javaVersion,
    long wallMillis,
    String observer) {

  private static final String HEAD = "[lampone-server ";
  private static final String UNPACKED = "development";

  /** Returns the answer of this process. */
  static ServerAnswer ofThisProcess(Clock clock) {
    return new ServerAnswer(
        ownVersion(),
        Compatibility.OLDEST_REQUESTS,
        Compatibility.REQUESTS,
        VersionInfo.getVersion(),
        String.valueOf(System.getProperty("java.version")),
        clock.wallMillis(),
        loadObserver());
  }

  /** Returns the version of this code, or "development" for unpackaged classes. */
  public static String ownVersion() {
    return Objects.requireNonNullElse(
        ServerAnswer.class.getPackage().getImplementationVersion(), UNPACKED);
  }

  /** Returns the text that {@link #parse} finds inside a longer message. */
  String toText() {
    return HEAD
        + "version="
        + coded(version)
        + " oldestRequests="
        + oldestRequests
        + " requests="
        + requests
        + " hbase="
        + coded(hbaseVersion)
        + " java="
        + coded(javaVersion)
        + " wallMillis="
        + wallMillis
        + " observer="
        + coded(observer)
        + " ]";
  }

  /**
   * Finds an answer in the message of an exception; empty if there is none.
   *
   * @throws MalformedException if it cannot be decoded
   */
  public static Optional<ServerAnswer> parse(String message) {
    int start = message.indexOf(HEAD);
    int end = message.indexOf(" ]", Math.max(start, 0));
    if (start < 0 || end < 0) {
      return Optional.empty();
    }
    Map<String, String> values = new HashMap<>();
    for (String word : message.substring(start + HEAD.length(), end).split(" ", -1)) {
      int equals = word.indexOf('=');
      values.put(word.substring(0, Math.max(equals, 0)), word.substring(equals + 1));
    }
    try {
      return Optional.of(
          new ServerAnswer(
              decoded(values, "version"),
              Integer.parseInt(values.getOrDefault("oldestRequests", "")),
              Integer.parseInt(values.getOrDefault("requests", "")),
              decoded(values, "hbase"),
              decoded(values, "java"),
              Long.parseLong(values.getOrDefault("wallMillis", "")),
              decoded(values, "observer")));
    } catch (IllegalArgumentException e) {
      throw new MalformedException("unreadable answer of a region server, message=" + message, e);
    }
  }

  /** Loads the observer by name as HBase does, with this class's loader. */
  private static String loadObserver() {
    try {
      Class.forName(TableSettings.COPROCESSOR, true, ServerAnswer.class.getClassLoader());
      return "";
    } catch (ClassNotFoundException | LinkageError e) {
      return e.toString();
    }
  }

  private static String coded(String text) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(Bytes.utf8(text).toArray());
  }

  private static String decoded(Map<String, String> values, String key) {
    return Bytes.wrap(Base64.getUrlDecoder().decode(values.getOrDefault(key, ""))).toUtf8();
  }
}
