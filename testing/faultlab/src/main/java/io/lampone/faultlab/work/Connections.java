package io.lampone.faultlab.work;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;

/** Connections by the settings of a cluster. */
public final class Connections {

  private Connections() {}

  /** Returns the configuration in the file. */
  public static Configuration configuration(Path site) {
    Configuration configuration = HBaseConfiguration.create();
    configuration.addResource(new org.apache.hadoop.fs.Path(site.toUri()));
    return configuration;
  }

  /** HBase's own client. */
  static Connection plain(Path site) throws IOException {
    return ConnectionFactory.createConnection(configuration(site));
  }
}
