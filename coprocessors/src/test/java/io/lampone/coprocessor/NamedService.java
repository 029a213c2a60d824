package io.lampone.coprocessor;

import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.ServiceDescriptorProto;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.RpcCallback;
import com.google.protobuf.RpcController;
import com.google.protobuf.Service;

/** A service of another coprocessor that has a name and no methods. */
final class NamedService implements Service {

  private final ServiceDescriptor descriptor;

  NamedService(String name) throws DescriptorValidationException {
    FileDescriptorProto file =
        FileDescriptorProto.newBuilder()
            .setName(name + ".proto")
            .addService(ServiceDescriptorProto.newBuilder().setName(name))
            .build();
    descriptor = FileDescriptor.buildFrom(file, new FileDescriptor[0]).getServices().get(0);
  }

  @Override
  public ServiceDescriptor getDescriptorForType() {
    return descriptor;
  }

  @Override
  public void callMethod(
      MethodDescriptor method,
      RpcController controller,
      Message request,
      RpcCallback<Message> done) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Message getRequestPrototype(MethodDescriptor method) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Message getResponsePrototype(MethodDescriptor method) {
    throw new UnsupportedOperationException();
  }
}
