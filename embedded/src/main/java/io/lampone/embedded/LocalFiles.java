package io.lampone.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * Local files whose permissions this JVM sets: without its native library Hadoop starts a process
 * for each file and directory that HBase creates.
 */
final class LocalFiles extends LocalFileSystem {

  LocalFiles() {
    super(new Raw());
  }

  private static final class Raw extends RawLocalFileSystem {

    @Override
    public void setPermission(Path path, FsPermission permission) throws IOException {
      PosixFileAttributeView file =
          Files.getFileAttributeView(pathToFile(path).toPath(), PosixFileAttributeView.class);
      // Java knows no sticky bit.
      if (file == null || permission.getStickyBit()) {
        super.setPermission(path, permission);
        return;
      }
      file.setPermissions(
          PosixFilePermissions.fromString(
              permission.getUserAction().SYMBOL
                  + permission.getGroupAction().SYMBOL
                  + permission.getOtherAction().SYMBOL));
    }
  }
}
