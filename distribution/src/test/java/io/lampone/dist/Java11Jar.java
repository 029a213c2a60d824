package io.lampone.dist;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.Handle;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;

/** A jar of classes for Java 11. */
final class Java11Jar {

  private static final int MAJOR_AT = 6;

  /** A class file and its class file version. */
  record ClassFile(String name, int version, byte[] bytes) {

    /** Whether this project compiles it, or the translation has brought it along. */
    boolean isOurs() {
      return name.startsWith("io/lampone/")
          && (!name.startsWith("io/lampone/shaded/")
              || name.startsWith("io/lampone/shaded/jdk11/"));
    }
  }

  private Java11Jar() {}

  /** Returns all classes but those that only a later Java loads. */
  static List<ClassFile> classes(Path jar) throws IOException {
    List<ClassFile> classes = new ArrayList<>();
    try (JarFile file = new JarFile(jar.toFile())) {
      for (JarEntry entry : Collections.list(file.entries())) {
        if (entry.getName().endsWith(".class")) {
          try (InputStream in = file.getInputStream(entry)) {
            byte[] bytes = in.readAllBytes();
            int version = ByteBuffer.wrap(bytes).getShort(MAJOR_AT);
            classes.add(
                new ClassFile(entry.getName().replaceFirst("\\.class$", ""), version, bytes));
          }
        }
      }
    }
    return classes;
  }

  /** Returns what our classes refer to and neither Java 11 nor the jar has. */
  static Set<String> absent(List<ClassFile> classes) throws IOException {
    Java11Library library = new Java11Library();
    classes.forEach(each -> library.add(each.bytes()));
    Set<String> absent = new TreeSet<>();
    for (ClassFile each : classes) {
      if (each.isOurs()) {
        new ClassReader(each.bytes()).accept(new References(library, absent), 0);
      }
    }
    return absent;
  }

  /** The references of one class. */
  private static final class References extends ClassVisitor {

    private final Java11Library library;
    private final Set<String> absent;
    private String visited = "";

    References(Java11Library library, Set<String> absent) {
      super(Opcodes.ASM9);
      this.library = library;
      this.absent = absent;
    }

    @Override
    public void visit(
        int version, int access, String name, String generic, String parent, String[] interfaces) {
      visited = name;
      type(parent);
      for (String each : interfaces) {
        type(each);
      }
    }

    @Override
    public MethodVisitor visitMethod(
        int access, String name, String descriptor, String signature, String[] exceptions) {
      Java11Library.namesIn(descriptor).forEach(this::type);
      return new MethodVisitor(Opcodes.ASM9) {
        @Override
        public void visitTypeInsn(int opcode, String type) {
          type(type);
        }

        @Override
        public void visitFieldInsn(int opcode, String owner, String field, String type) {
          member(owner, field, type);
        }

        @Override
        public void visitMethodInsn(
            int opcode, String owner, String method, String type, boolean isInterface) {
          member(owner, method, type);
        }

        @Override
        public void visitInvokeDynamicInsn(
            String site, String type, Handle bootstrap, Object... arguments) {
          handle(bootstrap);
          for (Object argument : arguments) {
            if (argument instanceof Handle handle) {
              handle(handle);
            }
          }
        }
      };
    }

    private void handle(Handle handle) {
      member(handle.getOwner(), handle.getName(), handle.getDesc());
    }

    private void type(String name) {
      if (!name.startsWith("[") && library.lacks(name)) {
        absent.add(visited + " -> " + name);
      }
    }

    private void member(String owner, String name, String descriptor) {
      type(owner);
      Java11Library.namesIn(descriptor).forEach(this::type);
      if (library.lacks(owner, name + descriptor)) {
        absent.add(visited + " -> " + owner + "." + name + descriptor);
      }
    }
  }
}
