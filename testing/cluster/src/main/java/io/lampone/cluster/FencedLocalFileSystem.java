package io.lampone.cluster;

import java.util.Map;
import org.apache.hadoop.fs.LocalFileSystem;

/**
 * Local files on which a region server that was declared dead cannot acknowledge a write any more:
 * {@link FencedFiles}. Only for servers that have this module on their class path.
 */
public final class FencedLocalFileSystem extends LocalFileSystem {

  /** For {@link ClusterPlan#settings}. */
  public static final Map<String, String> SETTINGS =
      Map.of("fs.file.impl", FencedLocalFileSystem.class.getName());

  /** For Hadoop, which instantiates it by its name. */
  public FencedLocalFileSystem() {
    super(new FencedFiles());
  }
}
