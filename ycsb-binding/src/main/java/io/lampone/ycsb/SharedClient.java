package io.lampone.ycsb;

import io.lampone.client.LamponeClient;
import io.lampone.protocol.ConflictLevel;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Properties;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableExistsException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/**
 * State shared by all threads of a run, as in an application: one client, or one connection of
 * HBase. YCSB creates a binding for each thread and passes the same Properties to all of them, so
 * they contain this state; the last release closes it.
 */
final class SharedClient {

  /** Key among the properties; YCSB expects their names to be strings. */
  private static final String KEY = "lampone.shared.client";

  private final Optional<LamponeClient> lampone;
  private final Optional<Connection> plain;

  /** Bindings that use it; guarded by the Properties. */
  private int users;

  private SharedClient(Optional<LamponeClient> lampone, Optional<Connection> plain) {
    this.lampone = lampone;
    this.plain = plain;
  }

  /** Returns the client of this run; the first call connects it and creates the table. */
  static SharedClient acquire(Properties properties, Settings settings) throws IOException {
    synchronized (properties) {
      SharedClient shared = (SharedClient) properties.get(KEY);
      if (shared == null) {
        shared = connect(Settings.configuration(properties), settings);
        properties.put(KEY, shared);
      }
      shared.users++;
      return shared;
    }
  }

  /** Releases the client; the last user closes it. */
  void release(Properties properties) throws IOException {
    synchronized (properties) {
      users--;
      if (users == 0) {
        properties.remove(KEY);
        if (lampone.isPresent()) {
          lampone.get().close();
        }
        if (plain.isPresent()) {
          plain.get().close();
        }
      }
    }
  }

  LamponeClient lampone() {
    return lampone.orElseThrow(() -> new IllegalStateException("a run of mode plain has none"));
  }

  Connection plain() {
    return plain.orElseThrow(() -> new IllegalStateException("only a run of mode plain has one"));
  }

  private static SharedClient connect(Configuration configuration, Settings settings)
      throws IOException {
    try (Connection connection = ConnectionFactory.createConnection(configuration);
        Admin admin = connection.getAdmin()) {
      if (settings.mode() == Mode.PLAIN) {
        if (!admin.tableExists(settings.table())) {
          makePlain(admin, settings);
        }
        return new SharedClient(
            Optional.empty(), Optional.of(ConnectionFactory.createConnection(configuration)));
      }
      LamponeClient client = LamponeClient.connect(configuration);
      if (!admin.tableExists(settings.table())) {
        client.admin().createTable(descriptor(settings), ConflictLevel.CELL, splits(settings));
      }
      return new SharedClient(Optional.of(client), Optional.empty());
    }
  }

  private static void makePlain(Admin admin, Settings settings) throws IOException {
    try {
      admin.createTable(descriptor(settings), splits(settings));
    } catch (TableExistsException expected) {
      // Another process of the same run has created it.
    }
  }

  private static TableDescriptor descriptor(Settings settings) {
    return TableDescriptorBuilder.newBuilder(settings.table())
        .setColumnFamily(ColumnFamilyDescriptorBuilder.of(settings.family()))
        .build();
  }

  /**
   * Returns the region boundaries. YCSB's keys are "user" and a hash, whose first digits are spread
   * evenly from 10 to 99.
   */
  private static byte[][] splits(Settings settings) {
    byte[][] splits = new byte[settings.regions() - 1][];
    for (int i = 1; i < settings.regions(); i++) {
      String key = "user" + (10 + 90 * i / settings.regions());
      splits[i - 1] = key.getBytes(StandardCharsets.UTF_8);
    }
    return splits;
  }
}
