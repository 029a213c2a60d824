package io.lampone.tmclient;

import static java.util.Map.entry;

import io.lampone.protocol.Bytes;
import io.lampone.protocol.MalformedException;
import io.lampone.protocol.wire.Identity;
import io.lampone.protocol.wire.SharedSecret;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a client as properties, the same for applications, region servers and tools.
 * Durations are {@code 10s}, {@code 500ms}; a bare number is milliseconds.
 */
public final class ClientProperties {

  /** What every property begins with. */
  public static final String PREFIX = "lampone.client.manager.";

  private static final Pattern DURATION = Pattern.compile("([0-9]{1,12})(ms|s|m|)");
  private static final String TLS = "tls";

  private static final Map<String, BiConsumer<Collected, String>> SETTERS =
      Map.ofEntries(
          entry("timeout", (c, v) -> c.builder.requestTimeout(duration(v))),
          entry("connect.timeout", (c, v) -> c.builder.connectTimeout(duration(v))),
          entry("stall.timeout", (c, v) -> c.builder.stallTimeout(duration(v))),
          entry("backoff.cap", (c, v) -> c.builder.backoffCap(duration(v))),
          entry("outstanding", (c, v) -> c.builder.maxOutstanding(Integer.parseInt(v))),
          entry("frames.in.flight", (c, v) -> c.builder.maxBatchesInFlight(Integer.parseInt(v))),
          entry("principal", (c, v) -> c.principal = v),
          entry("tenant", (c, v) -> c.tenant = v),
          entry("secret.file", (c, v) -> c.secret = Optional.of(secret(Path.of(v)))),
          entry(TLS, (c, v) -> c.tls = bool(v)),
          entry("tls.authority.file", (c, v) -> c.authorityFile = Optional.of(Path.of(v))),
          entry("tls.certificate.file", (c, v) -> c.certificateFile = Optional.of(Path.of(v))),
          entry("tls.key.file", (c, v) -> c.keyFile = Optional.of(Path.of(v))),
          entry("tls.verify.host", (c, v) -> c.verifyHost = bool(v)));

  private ClientProperties() {}

  /** The full names of all properties, in order. */
  public static TreeSet<String> names() {
    TreeSet<String> names = new TreeSet<>();
    SETTERS.keySet().forEach(name -> names.add(PREFIX + name));
    return names;
  }

  /**
   * Reads the properties, those that {@code lookup} does not know by their defaults.
   *
   * @throws IllegalArgumentException if one has no usable value; the message names it
   */
  public static TransactionManagerClientConfig.Builder read(
      Function<String, @Nullable String> lookup) {
    Collected collected = new Collected();
    for (String name : names()) {
      String value = lookup.apply(name);
      BiConsumer<Collected, String> setter = SETTERS.get(name.substring(PREFIX.length()));
      if (value == null || setter == null) {
        continue;
      }
      try {
        setter.accept(collected, value.trim());
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(
            "property without a usable value, name="
                + name
                + " value="
                + value
                + " cause="
                + e.getMessage(),
            e);
      }
    }
    return collected.builder.security(collected.security());
  }

  private static Duration duration(String text) {
    Matcher matcher = DURATION.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("not a duration such as 10s or 500ms");
    }
    long number = Long.parseLong(matcher.group(1));
    return switch (matcher.group(2)) {
      case "s" -> Duration.ofSeconds(number);
      case "m" -> Duration.ofMinutes(number);
      default -> Duration.ofMillis(number);
    };
  }

  private static boolean bool(String text) {
    if (!text.equals("true") && !text.equals("false")) {
      throw new IllegalArgumentException("neither true nor false");
    }
    return text.equals("true");
  }

  /** The bytes of the file, without the white space that editors leave at its end. */
  private static SharedSecret secret(Path file) {
    try {
      return new SharedSecret(Bytes.utf8(Files.readString(file).strip()));
    } catch (IOException e) {
      throw new IllegalArgumentException("no readable file, cause=" + e, e);
    }
  }

  /** What has been read so far. */
  private static final class Collected {

    private final TransactionManagerClientConfig.Builder builder =
        TransactionManagerClientConfig.builder();
    private String principal = "";
    private String tenant = "";
    private Optional<SharedSecret> secret = Optional.empty();
    private boolean tls;
    private Optional<Path> authorityFile = Optional.empty();
    private Optional<Path> certificateFile = Optional.empty();
    private Optional<Path> keyFile = Optional.empty();
    private boolean verifyHost = true;

    private ClientSecurity security() {
      boolean files =
          authorityFile.isPresent() || certificateFile.isPresent() || keyFile.isPresent();
      if (files && !tls) {
        throw new IllegalArgumentException(
            "files for TLS without TLS; set " + PREFIX + TLS + "=true, or remove them");
      }
      if (secret.isPresent() && principal.isEmpty()) {
        throw new IllegalArgumentException(
            "a secret without a principal whose it is; set " + PREFIX + "principal");
      }
      return new ClientSecurity(
          identity(),
          secret,
          tls
              ? Optional.of(new ClientTls(authorityFile, certificateFile, keyFile, verifyHost))
              : Optional.empty());
    }

    private Identity identity() {
      try {
        return new Identity(principal, tenant);
      } catch (MalformedException e) {
        throw new IllegalArgumentException(
            "wrong name, principal=" + principal + " tenant=" + tenant + ": " + e.getMessage(), e);
      }
    }
  }
}
