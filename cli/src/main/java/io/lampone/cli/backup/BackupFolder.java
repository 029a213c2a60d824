package io.lampone.cli.backup;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.lampone.cli.backup.Manifest.TableEntry;
import io.lampone.cli.backup.PartFormat.Totals;
import io.lampone.protocol.Bytes;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Optional;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * Files of a backup, on a local disk or any file system of Hadoop. A file is written under a random
 * temporary name and renamed when it is complete and synced, so that an exporter wrongly believed
 * dead never writes into the files of the exporter that resumes.
 *
 * <pre>
 *   plan.json              planned content, written first
 *   TABLE/part-00000       one for each region
 *   backup.json            actual content; its presence marks the backup as complete
 * </pre>
 */
final class BackupFolder {

  private static final String PLAN = "plan.json";
  private static final String BACKUP = "backup.json";
  private static final String UNFINISHED = ".unfinished";
  private static final int FILE_BUFFER_BYTES = 1 << 16;
  private static final ObjectMapper MAPPER = new ObjectMapper();

  /** Owner-only mode: a backup contains data that HBase's permissions protect. */
  private static final FsPermission PRIVATE_FOLDER = new FsPermission("700");

  private static final FsPermission PRIVATE_FILE = new FsPermission("600");

  private final FileSystem files;
  private final Path folder;
  private final Optional<BackupKey> key;

  private BackupFolder(FileSystem files, Path folder, Optional<BackupKey> key) {
    this.files = files;
    this.folder = folder;
    this.key = key;
  }

  /** Action that writes a part. */
  interface Writing {
    Totals write(OutputStream out) throws IOException;
  }

  /**
   * A folder.
   *
   * @param text a path; of the local disk unless it names a file system, as in {@code hdfs://...}
   * @param key key that signs written files and verifies read ones; empty for an unsigned backup
   */
  static BackupFolder of(String text, Configuration configuration, Optional<BackupKey> key)
      throws IOException {
    try {
      Path path =
          text.matches("[A-Za-z][A-Za-z0-9+.-]*:.*")
              ? new Path(text)
              : new Path(java.nio.file.Path.of(text).toAbsolutePath().normalize().toUri());
      URI uri = path.toUri();
      FileSystem files = FileSystem.get(uri, configuration);
      // Bypasses the checksum files: the backup files contain their own checksums.
      FileSystem raw = files instanceof LocalFileSystem local ? local.getRawFileSystem() : files;
      return new BackupFolder(raw, path, key);
    } catch (IllegalArgumentException | IOException e) {
      throw new BackupException(
          "cannot use this folder: " + e.getMessage() + ", folder=" + text,
          "give a path of the local disk, or one of a file system that Hadoop knows:"
              + " hdfs://HOST/PATH",
          e);
    }
  }

  /** Returns this folder with parts that are encrypted as the manifest says. */
  BackupFolder of(Manifest manifest) {
    return new BackupFolder(files, folder, key.map(k -> k.encrypting(manifest.encrypted())));
  }

  /** Returns the names of table folders, which lie beside the two files. */
  static FolderNames tableFolders() {
    return new FolderNames(PLAN, BACKUP);
  }

  @Override
  public String toString() {
    return "file".equals(folder.toUri().getScheme()) ? folder.toUri().getPath() : folder.toString();
  }

  /** Returns the complete backup; empty if it is not complete. */
  Optional<Manifest> backup() throws IOException {
    return manifest(BACKUP);
  }

  /** Returns the plan of a backup, complete or not. */
  Optional<Manifest> plan() throws IOException {
    return manifest(PLAN);
  }

  /** Returns true if the folder has no content. */
  boolean isEmpty() throws IOException {
    try {
      return files.listStatus(folder).length == 0;
    } catch (FileNotFoundException e) {
      return true;
    }
  }

  void writePlan(Manifest manifest) throws IOException {
    write(new Path(folder, PLAN), out -> write(out, PLAN, manifest));
  }

  /** Marks the backup as complete and removes unfinished files. */
  void writeBackup(Manifest manifest) throws IOException {
    write(new Path(folder, BACKUP), out -> write(out, BACKUP, manifest));
    for (TableEntry table : manifest.tables()) {
      removeUnfinished(new Path(folder, table.folder()));
    }
    removeUnfinished(folder);
  }

  /**
   * Writes a part and renames it when it is complete.
   *
   * @param backup its id
   */
  Totals writePart(String backup, String table, String file, Writing writing) throws IOException {
    return write(
        new Path(new Path(folder, table), file),
        out -> {
          if (key.isEmpty()) {
            BufferedOutputStream buffered = new BufferedOutputStream(out, FILE_BUFFER_BYTES);
            Totals totals = writing.write(buffered);
            buffered.flush();
            return totals;
          }
          SealedOutput sealed =
              new SealedOutput(out, key.get(), SealedFormat.name(backup, table, file));
          Totals totals = writing.write(sealed);
          sealed.end();
          return totals;
        });
  }

  /** Returns true if a part is there, complete. */
  boolean hasPart(String table, String file) throws IOException {
    return files.exists(new Path(new Path(folder, table), file));
  }

  /**
   * Reads a part and checks it.
   *
   * @param backup its id
   * @throws BackupException if it is missing or differs from the written file
   */
  Totals readPart(String backup, String table, String file, long timestamp, PartReader.Work work)
      throws IOException {
    Path path = new Path(new Path(folder, table), file);
    try (FSDataInputStream in = files.open(path)) {
      long length = files.getFileStatus(path).getLen();
      InputStream source = new BufferedInputStream(in, FILE_BUFFER_BYTES);
      if (key.isPresent()) {
        source =
            new SealedInput(source, key.get(), SealedFormat.name(backup, table, file), name(path));
      }
      return new PartReader(source, name(path), length).read(timestamp, work);
    } catch (FileNotFoundException e) {
      throw new BackupException(
          "a file of the backup is missing, file=" + name(path),
          "copy the whole folder again from where it was written",
          e);
    }
  }

  private Totals write(Path path, Writing writing) throws IOException {
    Path unfinished = path.suffix("." + UUID.randomUUID() + UNFINISHED);
    boolean renamed = false;
    try {
      Totals totals;
      long length;
      files.mkdirs(folder, PRIVATE_FOLDER);
      files.mkdirs(path.getParent(), PRIVATE_FOLDER);
      try (FSDataOutputStream out =
          files.create(
              unfinished,
              PRIVATE_FILE,
              false,
              FILE_BUFFER_BYTES,
              files.getDefaultReplication(unfinished),
              files.getDefaultBlockSize(unfinished),
              null)) {
        totals = writing.write(out);
        out.hsync();
        length = out.getPos();
      }
      // A local file system would silently replace it.
      if (files.exists(path)) {
        throw new BackupException(
            "another export has written this file meanwhile, file=" + name(path),
            "one of them is enough: when the other one has ended, 'lampone export --resume DIR'"
                + " goes on, or says that the backup is complete");
      }
      long found = files.getFileStatus(unfinished).getLen();
      if (found != length) {
        throw new IOException("what was written is not there, length=" + found + " of=" + length);
      }
      renamed = files.rename(unfinished, path);
      if (!renamed) {
        throw new IOException("cannot be renamed");
      }
      return totals;
    } catch (StorageException e) {
      throw e.cause();
    } catch (BackupException e) {
      throw e;
    } catch (IOException e) {
      throw new BackupException(
          "cannot write the backup: " + e.getMessage() + ", file=" + name(path),
          "make room, or see to the permissions; then go on with 'lampone export --resume DIR':"
              + " what is complete stays",
          e);
    } finally {
      if (!renamed) {
        remove(unfinished);
      }
    }
  }

  /** Removes the temporary files of killed exporters; one that still writes has lost. */
  private void removeUnfinished(Path parent) {
    try {
      for (FileStatus file : files.listStatus(parent)) {
        if (file.isFile() && file.getPath().getName().endsWith(UNFINISHED)) {
          remove(file.getPath());
        }
      }
    } catch (IOException e) {
      return; // unused files only take space
    }
  }

  private void remove(Path unfinished) {
    try {
      files.delete(unfinished, false);
    } catch (IOException e) {
      return; // an unused file only takes space
    }
  }

  /** Failure during a write that was not caused by the file. */
  static final class StorageException extends IOException {
    private static final long serialVersionUID = 1L;
    private final IOException cause;

    StorageException(IOException cause) {
      super(cause);
      this.cause = cause;
    }

    IOException cause() {
      return cause;
    }
  }

  private Totals write(OutputStream out, String name, Manifest manifest) throws IOException {
    JsonNode content = MAPPER.valueToTree(manifest);
    ObjectNode file = MAPPER.createObjectNode();
    file.put("crc", PartWriter.crc(signed(content)));
    key.ifPresent(k -> file.put("mac", text(k.manifestMac(name, signed(content)))));
    file.set("backup", content);
    out.write(MAPPER.writerWithDefaultPrettyPrinter().writeValueAsBytes(file));
    return new Totals(0, 0, 0, 0);
  }

  private Optional<Manifest> manifest(String name) throws IOException {
    Path path = new Path(folder, name);
    byte[] text;
    try (FSDataInputStream in = files.open(path)) {
      text = in.readAllBytes();
    } catch (FileNotFoundException e) {
      return Optional.empty();
    }
    try {
      JsonNode file = MAPPER.readTree(text);
      JsonNode content = file.path("backup");
      if (file.path("crc").asInt() != PartWriter.crc(signed(content))) {
        throw PartReader.damaged(name(path), "its checksum is wrong");
      }
      requireSigned(name, path, file.path("mac"), content);
      Manifest manifest = MAPPER.treeToValue(content, Manifest.class);
      if (manifest.format() != Manifest.FORMAT) {
        throw new BackupException(
            "the backup is of another format, format=" + manifest.format(),
            "use the lampone command of the version that wrote it");
      }
      return Optional.of(manifest);
    } catch (com.fasterxml.jackson.core.JsonProcessingException | IllegalArgumentException e) {
      throw PartReader.damaged(name(path), "it is not JSON as we write it");
    }
  }

  private void requireSigned(String name, Path path, JsonNode mac, JsonNode content)
      throws BackupException {
    if (key.isEmpty() && mac.isMissingNode()) {
      return;
    }
    if (key.isEmpty()) {
      throw new BackupException(
          "the backup is signed, file=" + name(path),
          "give its key: --key-file FILE, or lampone.backup.key.file in the site file");
    }
    if (mac.isMissingNode()) {
      throw new BackupException(
          "the backup is not signed, file=" + name(path),
          "if you know that its folder was safe, give --unsigned instead of the key");
    }
    byte[] expected = key.get().manifestMac(name, signed(content));
    if (!MessageDigest.isEqual(expected, bytes(mac.asText()).toArray())) {
      throw new BackupException(
          "the signature is wrong: another key has signed it, or it has changed since, file="
              + name(path),
          "give the key that it was exported with; if that is this one, do not restore this copy");
    }
  }

  /** Returns the bytes of a manifest that its checksum and signature cover. */
  private static byte[] signed(JsonNode content) {
    return content.toString().getBytes(StandardCharsets.UTF_8);
  }

  private static String name(Path path) {
    return "file".equals(path.toUri().getScheme()) ? path.toUri().getPath() : path.toString();
  }

  /** Bytes in a manifest. */
  static String text(byte[] bytes) {
    return java.util.Base64.getEncoder().encodeToString(bytes);
  }

  /** See {@link #text}. */
  static Bytes bytes(String text) {
    return Bytes.wrap(java.util.Base64.getDecoder().decode(text));
  }
}
