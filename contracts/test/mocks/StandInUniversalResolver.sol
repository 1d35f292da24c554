// SPDX-License-Identifier: CC0-1.0
pragma solidity ^0.8.24;

interface IEnsRegistry {
    function resolver(bytes32 node) external view returns (address);
}

interface IEnsResolver {
    function supportsInterface(bytes4 id) external view returns (bool);
    function resolve(bytes calldata name, bytes calldata data) external view returns (bytes memory);
}

/// @dev Stand-in for the universal resolver of ENS: finds the resolver of a name (ENSIP-10), calls it, and passes its lookups on as a
/// batch (ENSIP-21). Tests place its code at the address of the real one. It has neither `multicall` nor reverse resolution.
contract StandInUniversalResolver {
    struct Request {
        address sender;
        string[] urls;
        bytes data;
    }

    error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callbackFunction, bytes extraData);
    error ResolverNotFound(bytes name);

    IEnsRegistry private constant REGISTRY = IEnsRegistry(0x00000000000C2E074eC69A0dFb2997BA6C7d2e1e);
    bytes4 private constant EXTENDED_RESOLVER = 0x9061b923;

    function findResolver(bytes memory name) public view returns (address resolver, bytes32 node, uint256 offset) {
        while (true) {
            node = _node(name, offset);
            resolver = REGISTRY.resolver(node);
            if (resolver != address(0) || name[offset] == 0) return (resolver, node, offset);
            offset += 1 + uint8(name[offset]);
        }
    }

    function resolve(bytes calldata name, bytes calldata data)
        external
        view
        returns (bytes memory result, address resolver)
    {
        uint256 offset;
        (resolver,, offset) = findResolver(name);
        if (resolver == address(0)) revert ResolverNotFound(name);
        bool isExtended = IEnsResolver(resolver).supportsInterface(EXTENDED_RESOLVER);
        if (offset != 0 && !isExtended) revert ResolverNotFound(name);
        bytes memory call = isExtended ? abi.encodeCall(IEnsResolver.resolve, (name, data)) : data;
        (bool success, bytes memory answer) = resolver.staticcall(call);
        if (!success) _passOn(answer, resolver, isExtended);
        return (_unwrap(answer, isExtended), resolver);
    }

    function resolveCallback(bytes calldata response, bytes calldata extraData)
        external
        view
        returns (bytes memory result, address resolver)
    {
        (bool[] memory failures, bytes[] memory responses) = abi.decode(response, (bool[], bytes[]));
        bool isExtended;
        bytes4 callback;
        bytes memory extra;
        (resolver, isExtended, callback, extra) = abi.decode(extraData, (address, bool, bytes4, bytes));
        if (failures[0]) _revertWith(responses[0]);
        (bool success, bytes memory answer) = resolver.staticcall(abi.encodeWithSelector(callback, responses[0], extra));
        if (!success) _revertWith(answer);
        return (_unwrap(answer, isExtended), resolver);
    }

    /// @dev Reverts with the lookup of the resolver as a batch, or with its error.
    function _passOn(bytes memory answer, address resolver, bool isExtended) private view {
        if (bytes4(answer) != OffchainLookup.selector) _revertWith(answer);
        (address sender, string[] memory urls, bytes memory data, bytes4 callback, bytes memory extra) =
            abi.decode(_withoutSelector(answer), (address, string[], bytes, bytes4, bytes));
        Request[] memory requests = new Request[](1);
        requests[0] = Request(sender, urls, data);
        string[] memory batch = new string[](1);
        batch[0] = "x-batch-gateway:true";
        revert OffchainLookup(
            address(this),
            batch,
            abi.encodeWithSignature("query((address,string[],bytes)[])", requests),
            this.resolveCallback.selector,
            abi.encode(resolver, isExtended, callback, extra)
        );
    }

    function _node(bytes memory name, uint256 offset) private pure returns (bytes32) {
        uint256 length = uint8(name[offset]);
        if (length == 0) return 0;
        bytes memory label = new bytes(length);
        for (uint256 i = 0; i < length; i++) {
            label[i] = name[offset + 1 + i];
        }
        return keccak256(abi.encode(_node(name, offset + 1 + length), keccak256(label)));
    }

    function _unwrap(bytes memory answer, bool isExtended) private pure returns (bytes memory) {
        return isExtended ? abi.decode(answer, (bytes)) : answer;
    }

    function _withoutSelector(bytes memory data) private pure returns (bytes memory rest) {
        rest = new bytes(data.length - 4);
        for (uint256 i = 0; i < rest.length; i++) {
            rest[i] = data[i + 4];
        }
    }

    function _revertWith(bytes memory data) private pure {
        assembly ("memory-safe") {
            revert(add(data, 0x20), mload(data))
        }
    }
}
