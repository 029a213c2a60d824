package io.lampone.tmclient;

import io.lampone.protocol.config.Setting;
import io.lampone.protocol.config.SettingList;
import io.lampone.protocol.connect.SecurityProperties;
import java.time.Duration;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The settings of {@link TransactionManagerClientConfig}, the same for applications, region servers
 * and tools.
 */
public final class ClientProperties {

  /** Common prefix of all properties. */
  public static final String PREFIX = SecurityProperties.PREFIX;

  private static final SettingList LIST = new SettingList(PREFIX, true);

  public static final Setting<Duration> TIMEOUT =
      LIST.duration(
          "timeout",
          "10s",
          "10ms",
          "60m",
          "One request to the transaction manager, repetitions included.");
  static final Setting<Duration> CONNECT_TIMEOUT =
      LIST.duration(
          "connect.timeout",
          "2s",
          "1ms",
          "",
          "Finding a transaction manager, connecting and greeting; commands wait for 10 s.");
  static final Setting<Duration> STALL_TIMEOUT =
      LIST.duration(
          "stall.timeout",
          "1s",
          "1ms",
          "",
          "How long one may send nothing while a request waits, before its connection is given up.");
  static final Setting<Duration> BACKOFF_CAP =
      LIST.duration(
          "backoff.cap",
          "1s",
          "1ms",
          "",
          "Longest pause before a repetition of a request to it, unless it asks for a longer one.");
  static final Setting<Integer> OUTSTANDING =
      LIST.count(
          "outstanding",
          1 << 16,
          1,
          Integer.MAX_VALUE,
          "Requests to it under way; more fail at once.");
  static final Setting<Integer> FRAMES_IN_FLIGHT =
      LIST.count(
          "frames.in.flight",
          4,
          1,
          64,
          "Frames to it under way; requests meanwhile are collected for the next one.");

  /** All settings, those of {@link SecurityProperties} included, in the order of the page. */
  public static final List<Setting<?>> ALL =
      Stream.concat(LIST.all().stream(), SecurityProperties.ALL.stream()).toList();

  private ClientProperties() {}

  /** Returns the full names of all properties, sorted. */
  public static TreeSet<String> names() {
    return ALL.stream().map(Setting::name).collect(Collectors.toCollection(TreeSet::new));
  }

  /**
   * Reads the properties; unset properties have their defaults.
   *
   * @throws IllegalArgumentException if a value is not usable; the message names the property
   */
  public static TransactionManagerClientConfig.Builder read(
      Function<String, @Nullable String> lookup) {
    return TransactionManagerClientConfig.builder()
        .requestTimeout(TIMEOUT.read(lookup))
        .connectTimeout(CONNECT_TIMEOUT.read(lookup))
        .stallTimeout(STALL_TIMEOUT.read(lookup))
        .backoffCap(BACKOFF_CAP.read(lookup))
        .maxOutstanding(OUTSTANDING.read(lookup))
        .maxBatchesInFlight(FRAMES_IN_FLIGHT.read(lookup))
        .security(SecurityProperties.read(lookup));
  }
}
