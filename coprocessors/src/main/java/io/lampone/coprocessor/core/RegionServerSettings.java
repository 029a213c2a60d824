package io.lampone.coprocessor.core;

import io.lampone.protocol.config.Setting;
import io.lampone.protocol.config.SettingList;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Settings of a region server: properties of its hbase-site.xml, {@code lampone.region.*}. */
public final class RegionServerSettings {

  private static final SettingList LIST = new SettingList("lampone.region.", true);

  public static final Setting<Optional<Path>> CLUSTER_KEY_FILE =
      LIST.file(
          "cluster.key.file",
          "The transaction managers' cluster key, readable by the region server's user only; needed"
              + " where they have one.");
  public static final Setting<Duration> ABORTABLE_AGE =
      LIST.duration(
          "abortable.age",
          "2s",
          "0ms",
          "",
          "How old an undecided transaction has to be before other clients may abort it where the"
              + " transaction manager has not decided.");

  /** The default holds the small side of Apache Phoenix's hash joins in memory. */
  public static final Setting<String> ENDPOINTS_ALLOWED =
      LIST.text(
          "endpoints.allowed",
          "ServerCachingService",
          "Services of other coprocessors that may be called on transactional tables, by their"
              + " protobuf names: such as touch no row.");

  public static final Setting<Boolean> SQL_TTL =
      LIST.flag(
          "sql.ttl",
          false,
          "Read by masters: whether Apache Phoenix may set TTL on transactional tables. Values expire"
              + " one by one: only tables with one column beside the key always show whole rows.");

  /** All settings, in the order of the reference page. */
  public static final List<Setting<?>> ALL = LIST.all();

  private RegionServerSettings() {}
}
