package grpc

var (
	Codec    = boundedCodec // what requests are read by
	StatusOf = statusOf
)
