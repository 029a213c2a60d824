/** Configuration: the declared properties of every process, and their names. */
@NullMarked
package io.lampone.protocol.config;

import org.jspecify.annotations.NullMarked;
