/** Declarations of the client's properties. */
@NullMarked
package io.lampone.client.config;

import org.jspecify.annotations.NullMarked;
